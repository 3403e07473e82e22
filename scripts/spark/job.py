"""What spark-submit starts: the job that its arguments name."""

import sys

from scripts.spark.jobs import main

if __name__ == "__main__":
    sys.exit(main())
