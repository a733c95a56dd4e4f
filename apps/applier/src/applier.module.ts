import { type DynamicModule, Module } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import { OlmLookouts } from '#platform/joining/olm-lookouts';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { Applier, CLIENTS, HUB } from './applier.js';
import { ExtensionApplier } from './extensions/extension-applier.js';

@Module({})
class ApplierModule {}

/** Wiring only. */
export const applierModule = (hub: Hub, clients: readonly KubeClient[]): DynamicModule => ({
  module: ApplierModule,
  providers: [
    { provide: HUB, useValue: hub },
    { provide: CLIENTS, useValue: clients },
    { provide: OlmLookouts, useValue: new OlmLookouts(hub, clients) },
    Applier,
    ExtensionApplier,
  ],
  exports: [Applier],
});
