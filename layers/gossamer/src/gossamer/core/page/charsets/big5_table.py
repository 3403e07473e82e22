"""What browsers read in Big5 and Python's table of Hong Kong's characters of 2004 has not.

These are the additions of 2008, and characters that Taiwan's and Hong Kong's standards share.
"""

from __future__ import annotations

from typing import Final

_ADDED_IN_2008: Final = (  # from 0x877A on
    "㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆"
    "㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋"
)
_ELSEWHERE: Final = """
8e69箸 8e6f簆 8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨 8f57菁 8f69蒨 8f6e萏
8fcb覦 8fcc覩 8ffe起 906d都 907a銹 90dc靜 90f1響 91bf鼖 9244蔃 92af兙
92b0兛 92b1兝 92b2兞 92c8鍮 92d1瑹 9447浧 94ca禛 95d9邗 9644靝 96ed瀞
96fc嬨 9b76爁 9b78矗 9b7b纇 9bc6駖 9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻
9c62營 9c68鄄 9c6b鷰 9c77菏 9cbc尐 9cbd秣 9cd0婧 9d57輋 9d5a筑 9dc4拐
9ea9恢 9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 a063蠏 a077拎 a0d5瑨
a0df煢 a0e4牐 a3e1€ c6cf廴 c6d3无 c6d5癶 c6d7隶 c6de〃 c6df仝 fa5f倩
fa66偽 fabd包 fac5卄 fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 fc4f彘 fc6c悤
fcb9撐 fce2晴 fcf1杞 fdb7沜 fdb8渝 fdbb港 fdf1煮 fe52猪 fe6f瑜 feaa瓩
fedd砉
"""


def _codes() -> dict[bytes, str]:
    trails = [*range(0x7A, 0x7F), *range(0xA1, 0xE0)]
    found = {bytes((0x87, trail)): sign for trail, sign in zip(trails, _ADDED_IN_2008, strict=True)}
    # Pictures of control characters: one of them for DEL.
    found |= {bytes((0xA3, 0xC0 + code)): chr(0x2400 + code) for code in range(32)}
    found[b"\xa3\xe0"] = chr(0x2421)
    return found | {bytes.fromhex(entry[:4]): entry[4:] for entry in _ELSEWHERE.split()}


BIG5: Final = _codes()
