from gossamer.core.page.document import Document
from gossamer.core.page.shown_pictures import MOST, pictures_of, shown_picture
from gossamer.core.page.values import Image, Link

A, B = Image("http://a.test/a.png"), Image("http://a.test/b.png")


def test_the_picture_of_a_document_is_the_first_that_it_names():
    assert shown_picture({"cover": B, "image": A}) == A.url
    assert shown_picture({"page": Link("http://a.test/"), "views": [B, A]}) == B.url
    assert shown_picture({"page": Link("http://a.test/x.png"), "price": 9}) == ""
    assert shown_picture({"image": Image("data:image/png;base64,AA")}) == ""


def test_each_picture_of_a_page_is_fetched_once_and_only_so_many():
    documents = [
        Document(url="http://a.test/", values={"image": Image(f"http://a.test/{n // 2}.png")})
        for n in range(4 * MOST)
    ]

    found = pictures_of([*documents, Document(url="http://a.test/")])

    assert found == [f"http://a.test/{n}.png" for n in range(MOST)]
