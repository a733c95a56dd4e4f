import type { EntryRecord } from '../../catalog/model/package-record.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { csvName, ownedApiServices, webhooks } from '../../kernel/api/csv-facts.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { counted } from '../../kernel/text/counted.js';

/** Facts about a cluster before an operator moves from OLM Classic to a ClusterExtension. */
export type MigrationFacts = Readonly<{
  subscription: Subscription;
  /** The CSV that the Subscription names as installed. Undefined if it does not exist. */
  csv: ClusterServiceVersion | undefined;
  group: OperatorGroup | undefined;
  /**
   * The installed bundle in the Subscription's catalog. Undefined if the catalog lacks it or cannot be read.
   */
  entry: EntryRecord | undefined;
  /** The reason why the catalog cannot be read from here. Undefined if it can. */
  unread: string | undefined;
  /** `namespace/name` of other Subscriptions of the package. */
  otherSubscriptions: readonly string[];
  /** Types of the conditions that the operator has set on its OperatorCondition, or a user has overridden. */
  operatorConditions: readonly string[];
  /** Copies of its ClusterServiceVersion in other namespaces. */
  copies: number;
  /** ClusterExtensions of that name or package. */
  extensions: readonly string[];
  /** Kinds of OLM v1 that the cluster does not serve. */
  missingKinds: readonly string[];
  /** ClusterCatalogs that have the package; undefined: not known. */
  catalogs: readonly string[] | undefined;
}>;

/** `refusal`: it cannot move so; `note`: it moves, and this changes. */
export type MigrationFinding = Readonly<{ kind: 'refusal' | 'note'; text: string; todo: string }>;

const STAYS = 'keep it on OLM Classic';
const refusal = (text: string, todo: string): MigrationFinding => ({ kind: 'refusal', text, todo });
const note = (text: string, todo: string): MigrationFinding => ({ kind: 'note', text, todo });

/**
 * Returns the obstacles to a move from a Subscription to a ClusterExtension, each with advice. Refusals come
 * first (spec: v1-apply.md §2 and §3, v1-resolution.md step 9; why: extensions.md "From Subscription to
 * ClusterExtension").
 */
export function migrationFindings(facts: MigrationFacts): readonly MigrationFinding[] {
  const { subscription, csv, missingKinds } = facts;
  const { name = '', namespace = '' } = subscription.metadata;
  const all = [
    ...missingKinds.map((kind) =>
      refusal(`the cluster does not serve kind ${kind}`, 'let a hub manage the cluster: it installs the missing kinds'),
    ),
    ...installed(facts, `${namespace}/${name}`),
    ...(csv === undefined ? [] : ofBundle(csv)),
    ...dependencies(facts),
    ...watched(facts),
    ...neighbours(facts),
    ...changes(facts),
  ];
  const rank = ({ kind }: MigrationFinding) => (kind === 'refusal' ? 0 : 1);
  return all.toSorted((a, b) => rank(a) - rank(b) || byCodeUnit(a.text, b.text));
}

function installed({ subscription, csv, entry, unread }: MigrationFacts, place: string): MigrationFinding[] {
  const name = subscription.status?.installedCSV ?? '';
  const explain = `see the cause with "explain subscription ${subscription.metadata.name} -n ${subscription.metadata.namespace}"`;
  if (name === '') return [refusal(`Subscription ${place} has installed nothing`, explain)];
  if (csv === undefined) return [refusal(`ClusterServiceVersion ${name} does not exist`, explain)];
  const phase = csv.status?.phase ?? 'new';
  const found = phase === 'Succeeded' ? [] : [refusal(`ClusterServiceVersion ${name} is ${phase}`, explain)];
  if (entry === undefined) {
    if (unread !== undefined) {
      const text = `its catalog cannot be read from here (${unread})`;
      return [...found, refusal(text, 'log in to its registry, or name the hub with --hub')];
    }
    const todo = 'restore the bundle in the catalog, or first upgrade to a version of the catalog';
    return [...found, refusal(`bundle ${name} is not in the catalog of the Subscription`, todo)];
  }
  if ('image' in entry.source) return found;
  return [...found, refusal(`bundle ${name} has no image: its manifests are in the catalog itself`, STAYS)];
}

function ofBundle(csv: ClusterServiceVersion): MigrationFinding[] {
  const found: MigrationFinding[] = [];
  if (ownedApiServices(csv).length > 0) {
    found.push(refusal('it has APIServices, and OLM v1 does not install them', STAYS));
  }
  if (webhooks(csv).length > 0) {
    const text = 'it has webhooks: their certificates would change under running pods';
    found.push(refusal(text, `${STAYS}, or uninstall it and install it as a ClusterExtension`));
  }
  return found;
}

const DEPENDENCIES: ReadonlySet<string> = new Set(['olm.package.required', 'olm.gvk.required', 'olm.constraint']);

/** Returns a dependency in the words of `explain`: an API or a package; other constraints as they are. */
function neededText(type: string, value: unknown): string {
  const { kind, group, version, packageName, versionRange } = Object(value) as Readonly<Record<string, unknown>>;
  if (type === 'olm.gvk.required' && kind !== undefined) return `API ${kind} (${group}/${version})`;
  if (type === 'olm.package.required' && packageName !== undefined)
    return `package ${packageName}${versionRange === undefined ? '' : ` in ${versionRange}`}`;
  return `${type} ${JSON.stringify(value)}`;
}

function dependencies({ subscription, entry }: MigrationFacts): MigrationFinding[] {
  const needs = (entry?.properties ?? []).filter(({ type }) => DEPENDENCIES.has(type));
  const found = needs.map(({ type, value }) =>
    refusal(
      `it needs others (${neededText(type, value)}), and OLM v1 neither installs nor accepts dependencies`,
      STAYS,
    ),
  );
  const by = subscription.metadata.annotations?.['olm.generated-by'];
  if (by === undefined) return found;
  return [
    ...found,
    refusal(`it was installed as a dependency (plan ${by})`, `${STAYS} as long as the operator that needs it`),
  ];
}

function watched({ subscription, group, csv }: MigrationFacts): MigrationFinding[] {
  if (group === undefined) {
    return csv === undefined ? [] : [refusal('its namespace has no single OperatorGroup', 'leave one OperatorGroup')];
  }
  const found: MigrationFinding[] = [];
  const targets = group.status?.namespaces ?? [];
  if (targets.length > 1) {
    const text = `it watches ${targets.length} namespaces; a ClusterExtension watches one or all`;
    found.push(refusal(text, `narrow OperatorGroup ${group.metadata.name} to one, or widen it to all`));
  }
  const account = group.spec?.serviceAccountName ?? '';
  if (account !== '') {
    const text = `OperatorGroup ${group.metadata.name} gives it the rights of service account ${account} alone`;
    found.push(refusal(text, `${STAYS}, or first remove serviceAccountName from the OperatorGroup`));
  }
  if (subscription.spec.config?.['selector'] !== undefined) {
    found.push(note('selector of spec.config is left out: it has never had an effect', 'nothing'));
  }
  return found;
}

function neighbours({ subscription, otherSubscriptions, extensions }: MigrationFacts): MigrationFinding[] {
  const { name } = subscription.spec;
  return [
    ...otherSubscriptions.map((other) =>
      refusal(
        `Subscription ${other} has package ${name}, too`,
        'delete one of the two, with its ClusterServiceVersion',
      ),
    ),
    ...extensions.map((other) =>
      refusal(
        `ClusterExtension ${other} has that name or package`,
        `delete it; list its objects with "explain extension ${other}"`,
      ),
    ),
  ];
}

function changes(facts: MigrationFacts): MigrationFinding[] {
  const { subscription, csv, operatorConditions, copies, catalogs } = facts;
  const found: MigrationFinding[] = [];
  if (operatorConditions.length > 0) {
    const text = `its OperatorCondition says ${operatorConditions.join(', ')}, and OLM v1 has no OperatorConditions`;
    found.push(refusal(text, 'wait until the operator withdraws them, or remove the overrides'));
  }
  if (copies > 0) {
    const text = `${counted(copies, 'copy', 'copies')} of its ClusterServiceVersion in other namespaces will be deleted`;
    found.push(note(text, 'inform users who find operators by these copies'));
  }
  if (subscription.spec.installPlanApproval === 'Manual') {
    const text = `approval is Manual: the ClusterExtension allows version ${csv?.spec.version ?? ''} alone`;
    found.push(note(text, 'set spec.source.catalog.version for each update'));
  }
  const pending = subscription.status?.currentCSV ?? '';
  if (csv !== undefined && pending !== '' && pending !== csvName(csv)) {
    found.push(note(`the waiting update to ${pending} is dropped`, 'the ClusterExtension delivers it'));
  }
  if (catalogs?.length === 0) {
    const text = `no ClusterCatalog has package ${subscription.spec.name}: the installed version stays, without updates`;
    found.push(note(text, 'apply a ClusterCatalog with the image of the CatalogSource, before or after'));
  }
  return found;
}
