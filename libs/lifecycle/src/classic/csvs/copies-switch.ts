import { copiesSwitchStatus, type GlobalNamespace } from '#core/classic/csv/copies/copies-switch';
import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { isGlobal, targetsOf } from '#core/classic/operator-group/group-facts';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { OLM_CONFIG_API, OLM_CONFIG_NAME, OlmConfig } from '#core/kernel/api/olm-config';
import { eventRef } from '#platform/kube/write/record-event';
import type { PassReader } from '../../engine/passes/pass-reader.js';
import { perform, writeStatus } from '../../engine/passes/perform.js';
import { AT_REST, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';

/** The cluster's OLMConfig, if it has a readable one. */
export async function olmConfigOf(reader: PassReader): Promise<OlmConfig | undefined> {
  const found = await reader.get({ ...OLM_CONFIG_API, name: OLM_CONFIG_NAME });
  return OlmConfig.safeParse(found).data;
}

/** Writes to the OLMConfig's status whether copies of the global operators are as it asks for. */
export async function reportSwitch(
  input: NamespaceStageInput,
  { protectedNamespaces }: Readonly<{ protectedNamespaces: readonly string[] }>,
): Promise<StageOutcome> {
  const { reader, read, now } = input;
  const config = await olmConfigOf(reader);
  if (config === undefined) return AT_REST;
  const groups = [...read.operatorGroups, ...read.otherOperatorGroups].filter((group) => isGlobal(targetsOf(group)));
  const places = [...new Set(groups.map(({ metadata }) => metadata.namespace ?? ''))];
  const [globals, namespaces] = await Promise.all([
    Promise.all(places.map((place) => globalNamespace(reader, place))),
    reader.listMetadata(KIND.Namespace),
  ]);
  const live = namespaces.filter(({ metadata }) => !metadata.deletionTimestamp);
  const names = live.map(({ metadata }) => metadata.name ?? '');
  const status = copiesSwitchStatus(config, globals, { namespaces: names, protectedNamespaces }, now);
  return status === undefined ? AT_REST : writeStatus(input, config, status);
}

async function globalNamespace(reader: PassReader, namespace: string): Promise<GlobalNamespace> {
  const [csvs, copies] = await Promise.all([
    reader.list<ClusterServiceVersion>(CSV_API, { namespace }),
    reader.list<ClusterServiceVersion>(CSV_API, { labelSelector: `${COPIED_FROM_LABEL}=${namespace}` }),
  ]);
  return { namespace, csvs: csvs.filter((csv) => !isCopied(csv)), copies };
}

/** Explains in an Event why there are no copies; once, for as long as the API server keeps the Event. */
export async function reportDisabled(input: NamespaceStageInput, csv: ClusterServiceVersion): Promise<StageOutcome> {
  const { namespace = '', name = '', uid } = csv.metadata;
  const event = {
    do: 'emitEvent' as const,
    about: { ...refOf(csv), uid },
    type: 'Warning' as const,
    reason: 'DisabledCopiedCSVs',
    message: `CSV copying disabled for ${namespace}/${name}`,
  };
  return (await input.reader.get(eventRef(event))) === undefined ? perform(input, [event]) : AT_REST;
}
