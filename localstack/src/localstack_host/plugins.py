"""Plugins that replace parts of LocalStack in host mode; entry points are in pyproject.toml."""

from __future__ import annotations

from functools import partialmethod
from typing import Any, Final

from localstack.runtime import hooks
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.plugins import Service, aws_provider

POLL_SECONDS: Final = 0.2


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    """LAMBDA_RUNTIME_EXECUTOR=process"""

    name = "process"

    def load(self, *args: Any, **kwargs: Any) -> type:
        """Import the executor only if it is used."""
        from localstack_host.executor import ProcessRuntimeExecutor

        return ProcessRuntimeExecutor


@aws_provider(api="dynamodb", name="moto")
def dynamodb_by_moto() -> Service:
    """PROVIDER_OVERRIDE_DYNAMODB=moto: DynamoDB by the moto that LocalStack bundles."""
    from localstack.aws.api.dynamodb import DynamodbApi
    from localstack.services.moto import MotoFallbackDispatcher

    # The bare API implements nothing, so that every operation falls back to moto.
    return Service.for_provider(DynamodbApi(), dispatch_table_factory=MotoFallbackDispatcher)


@hooks.on_infra_start()
def poll_often() -> None:
    """Poll resources every 0.2 s: LocalStack's CloudFormation waits 5 s for each."""
    from localstack.services.cloudformation.resource_provider import ResourceProviderExecutor

    original = ResourceProviderExecutor.deploy_loop
    ResourceProviderExecutor.deploy_loop = partialmethod(original, sleep_time=POLL_SECONDS)


@hooks.on_infra_shutdown()
def kill_functions() -> None:
    """Kill the processes of all functions."""
    from localstack_host.environment import kill_all

    kill_all()
