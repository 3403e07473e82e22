"""Which parts of LocalStack do we replace in host mode? Named as entry points in pyproject.toml."""

from __future__ import annotations

from functools import partialmethod
from typing import Any, Final

from localstack.runtime import hooks
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.plugins import Service, aws_provider

LOOK_SECONDS: Final = 0.2


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    """LAMBDA_RUNTIME_EXECUTOR=process"""

    name = "process"

    def load(self, *args: Any, **kwargs: Any) -> type:
        """Import the executor only where it is asked for."""
        from localstack_host.executor import ProcessRuntimeExecutor

        return ProcessRuntimeExecutor


@aws_provider(api="dynamodb", name="moto")
def dynamodb_by_moto() -> Service:
    """PROVIDER_OVERRIDE_DYNAMODB=moto: the tables of the moto that LocalStack carries anyway."""
    from localstack.aws.api.dynamodb import DynamodbApi
    from localstack.services.moto import MotoFallbackDispatcher

    # Every operation of the bare API says "not implemented", and moto takes it from there.
    return Service.for_provider(DynamodbApi(), dispatch_table_factory=MotoFallbackDispatcher)


@hooks.on_infra_start()
def look_often() -> None:
    """See that a function is ready when it is: CloudFormation here looks every 5 s, for each."""
    from localstack.services.cloudformation.resource_provider import ResourceProviderExecutor

    patient = ResourceProviderExecutor.deploy_loop
    ResourceProviderExecutor.deploy_loop = partialmethod(patient, sleep_time=LOOK_SECONDS)


@hooks.on_infra_shutdown()
def kill_functions() -> None:
    """Leave no process behind."""
    from localstack_host.environment import kill_all

    kill_all()
