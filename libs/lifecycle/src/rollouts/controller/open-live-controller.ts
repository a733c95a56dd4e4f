import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { GateQuestion } from '#core/rollout/gates/gate-question';
import { hubNamespace } from '#platform/config/fleet-place';
import { HttpGates } from '#platform/fleet/http-gates';
import { type HubApiOptions, openFleetHub } from '#platform/fleet/open-fleet-hub';
import type { ServiceFrame } from '#platform/hub/hub';
import { outboundPolicyOf } from '#platform/registry/configured-limits';
import { LiveController } from './live-controller.js';

/** The field manager of the controller's writes to the hub API. */
const FLEET_CONTROLLER = 'flotilla-fleet-controller';

/**
 * Returns the controller of the fleet that the settings name. Undefined if they name none. Connects to
 * nothing yet.
 * @throws FleetPlaceError, ClusterConfigError if the hub API that they name cannot be used
 */
export async function openLiveController(
  { settings, clock, log, metrics }: Pick<ServiceFrame, 'settings' | 'clock' | 'log' | 'metrics'>,
  access: Omit<HubApiOptions, 'fieldManager'> = {},
): Promise<LiveController | undefined> {
  const hub = await openFleetHub(settings, { ...access, fieldManager: FLEET_CONTROLLER });
  if (hub === undefined) return undefined;
  const namespace = await hubNamespace(settings);
  const identity = `${hostname()}_${randomUUID()}`;
  const onPass = (seconds: number) => metrics.rollouts.passTook(seconds);
  const gates = new HttpGates({ hosts: settings.fleetGateHosts, policy: outboundPolicyOf(settings) });
  const askGate = (question: GateQuestion) => gates.ask(question);
  const isFolder = access.folder !== undefined;
  const controller = new LiveController({ hub, namespace, identity, clock, log, onPass, askGate, isFolder });
  metrics.rollouts.watch(() => controller.figures);
  return controller;
}
