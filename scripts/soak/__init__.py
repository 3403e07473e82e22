"""Does it run for long: crawl, recrawl, searches, kills and restarts on one machine?"""
