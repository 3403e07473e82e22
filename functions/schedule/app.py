"""SCHEDULE: may this host be asked, and when? Once a minute also: is anybody waiting?"""

from gossamer.entrypoints.lambdas.context import crawl, home
from gossamer.entrypoints.lambdas.schedule import schedule_handler

handler = schedule_handler(home, crawl)
