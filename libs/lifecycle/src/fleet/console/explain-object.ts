import type { z } from 'zod';
import type { Reason, Resolution } from '#core/classic/resolution/problem/resolution-problem';
import { type AdviceParts, adviceParts } from '#core/cluster/advice/advice-parts';
import { commandIn } from '#core/cluster/advice/command-in';
import { diagnoseCatalogSource } from '#core/cluster/diagnosis/diagnose-catalog-source';
import { diagnoseConditions } from '#core/cluster/diagnosis/diagnose-conditions';
import { diagnoseCsv } from '#core/cluster/diagnosis/diagnose-csv';
import { diagnoseExtension } from '#core/cluster/diagnosis/diagnose-extension';
import { diagnoseInstallPlan } from '#core/cluster/diagnosis/diagnose-install-plan';
import { diagnoseSubscription } from '#core/cluster/diagnosis/diagnose-subscription';
import { type Diagnosis, diagnosis } from '#core/cluster/diagnosis/diagnosis';
import { resolutionAdvice } from '#core/cluster/diagnosis/resolution-advice';
import { CATALOG_SOURCE_API, CatalogSource } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { Subscription } from '#core/kernel/api/subscription';
import { asRecord, asText } from '#core/kernel/crd/loose-value';
import { textWithoutSecrets } from '#core/kernel/secrets/secret-texts';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import { type GivenApproval, givenApproval } from '#core/view/actions/given-approval';
import type { ConsoleQuestion } from '#core/view/questions/console-question';
import { type ConflictNode, conflictTree } from '#core/view/questions/reason-node';
import { type NamespaceRead, readNamespace } from '../../classic/namespaces/namespace-read.js';
import { PassReader } from '../../engine/passes/pass-reader.js';
import { extensionSurroundings } from './extension-surroundings.js';
import { type KeptRevision, keptRevisions, newerOfExtension } from './newer-of-extension.js';
import { newerVersions, type OfferedVersion } from './newer-versions.js';
import type { QuestionPlace } from './question-place.js';

/** The explanation of an object's state, as `flotilla explain` says it. */
type ObjectExplanation = Readonly<{
  code: string;
  standing: Diagnosis['standing'];
  because: readonly string[];
  /** For an unhealthy Subscription: the ClusterServiceVersion that runs all the same. */
  stillRuns?: string;
  advice: readonly AdviceParts[];
  /** The smallest set of demands that cannot all be met. Absent if the resolution does not stop it. */
  conflict?: ConflictNode;
  /** For a Subscription and a ClusterExtension: newer versions, in other channels and catalogs, too. */
  newer: readonly OfferedVersion[];
  /** Revisions of a ClusterExtension. */
  revisions: readonly KeptRevision[];
  /** For a Subscription: the user that approved the InstallPlan that it refers to. Absent: not said. */
  approval?: GivenApproval;
}>;

type Asked = Extract<ConsoleQuestion, { kind: string }>;

/** Reads the inputs of the diagnosis, and returns its result. */
export async function explainObject(
  place: QuestionPlace,
  asked: Asked,
  object: KubernetesObject,
): Promise<ObjectExplanation> {
  const { diagnosis: found, read } = await diagnosed(place, asked, object);
  const reasons =
    asked.kind === 'Subscription' && found.standing !== 'well' ? await reasonsOf(place, asked) : undefined;
  const conflict = reasons && conflictTree(asked.namespace, reasons.explanation);
  const todo = reasons === undefined ? found.todo : todoOf(reasons, found, read);
  const approval = approvalIn(object, read);
  const isStopped = found.standing !== 'well';
  const seen = asked.kind === 'ClusterExtension' ? await place.extension(asked.name) : undefined;
  const ofExtension = seen?.problem === undefined ? [] : newerOfExtension(seen.problem, isStopped);
  return {
    code: found.code,
    standing: found.standing,
    because: found.because.map(textWithoutSecrets),
    ...(found.stillRuns !== undefined && { stillRuns: found.stillRuns }),
    advice: todo.map((one) => adviceParts(commandIn(place.access, one))),
    ...(conflict === undefined ? {} : { conflict }),
    newer: read === undefined ? ofExtension : await newerOf(place, asked, read, isStopped),
    revisions: seen === undefined ? [] : keptRevisions(seen),
    ...(approval && { approval }),
  };
}

/** Returns the advice of resolution: with a command if the objects of the namespace show one. */
function todoOf(
  { explanation, advice }: Reasons,
  found: Diagnosis,
  read: NamespaceRead | undefined,
): readonly string[] {
  const commands = read === undefined ? [] : resolutionAdvice(explanation, read);
  if (commands.length > 0) return commands;
  return advice === '' ? found.todo : [advice];
}

function approvalIn(object: KubernetesObject, read: NamespaceRead | undefined): GivenApproval | undefined {
  const referred = asText(asRecord(asRecord(object['status'])['installPlanRef'])['name']);
  const plan = read?.installPlans.find(({ metadata }) => metadata.name === referred);
  return plan && givenApproval(plan);
}

async function newerOf(
  place: QuestionPlace,
  { kind, namespace, name }: Asked,
  read: NamespaceRead,
  isExplained: boolean,
) {
  const catalogs = place.catalogs();
  if (kind !== 'Subscription' || catalogs.length === 0) return [];
  const resolution = await place.resolutionOf(namespace);
  return newerVersions({ read, subscription: name, resolution, catalogs, isExplained });
}

type Diagnosed = Readonly<{ diagnosis: Diagnosis; read?: NamespaceRead }>;

async function diagnosed(
  { client, globalCatalogNamespace }: QuestionPlace,
  { kind, namespace }: Asked,
  object: KubernetesObject,
): Promise<Diagnosed> {
  if (kind === 'ClusterExtension')
    return { diagnosis: diagnoseExtension(object, await extensionSurroundings(client, object)) };
  if (kind === 'ClusterCatalog') return { diagnosis: diagnoseConditions({ ...object, ...CLUSTER_CATALOG_API }) };
  if (kind === 'CatalogSource')
    return { diagnosis: readThen(CatalogSource, { ...object, ...CATALOG_SOURCE_API }, diagnoseCatalogSource) };
  const read = await readNamespace(new PassReader(client), namespace, globalCatalogNamespace);
  return { diagnosis: diagnoseIn(read, kind, object), read };
}

function diagnoseIn(read: NamespaceRead, kind: string, object: KubernetesObject): Diagnosis {
  if (kind === 'InstallPlan') {
    return readThen(InstallPlan, object, (plan) => diagnoseInstallPlan(plan, read.operatorGroups, read.subscriptions));
  }
  if (kind === 'ClusterServiceVersion') return readThen(ClusterServiceVersion, object, (csv) => diagnoseCsv(csv, read));
  return readThen(Subscription, object, (subscription) => diagnoseSubscription(subscription, read));
}

/** An object of another form than its kind: the cluster has another definition of it. */
function readThen<T>(schema: z.ZodType<T>, object: KubernetesObject, diagnose: (value: T) => Diagnosis): Diagnosis {
  const found = readForeign(schema, object);
  if ('value' in found) return diagnose(found.value);
  return diagnosis('object-unreadable', 'failed', `It cannot be read: ${found.problem}.`);
}

type Reasons = Readonly<{ explanation: readonly Reason[]; advice: string }>;

/** Returns the reason why the last resolution left the Subscription out. */
async function reasonsOf({ resolutionOf }: QuestionPlace, { namespace, name }: Asked): Promise<Reasons | undefined> {
  const resolution: Resolution | undefined = await resolutionOf(namespace);
  if (resolution?.result === 'unsatisfiable') return resolution;
  if (resolution?.result !== 'resolved') return undefined;
  return resolution.unresolved?.find((one) => one.kind === 'subscription' && one.name === name);
}
