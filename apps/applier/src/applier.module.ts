import { type DynamicModule, Module } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { Applier, CLIENTS, HUB } from './applier.js';

@Module({})
class ApplierModule {}

/** Wiring only. Services in one process share `lookouts`, so that they agree on which clusters are left to OLM. */
export const applierModule = (
  hub: Hub,
  clients: readonly KubeClient[],
  lookouts = new OlmDetectors(hub, clients),
): DynamicModule => ({
  module: ApplierModule,
  providers: [
    { provide: HUB, useValue: hub },
    { provide: CLIENTS, useValue: lookouts.guard(clients) },
    { provide: OlmDetectors, useValue: lookouts },
    Applier,
  ],
  exports: [Applier],
});
