"""SCHEDULE: book slots or park URLs; once a minute also housekeeping."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.schedule import schedule_handler

handler = schedule_handler(worker)
