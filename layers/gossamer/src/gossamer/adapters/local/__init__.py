"""The embedded home: one SQLite file and a folder of WARC files. Also the fakes of the tests."""
