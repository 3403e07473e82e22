"""SCHEDULE: may this host be asked, and when? Once a minute also: is anybody waiting?"""

from gossamer.entrypoints.lambda_home import crawl, home
from gossamer.entrypoints.tending import schedule_handler

handler = schedule_handler(home, crawl)
