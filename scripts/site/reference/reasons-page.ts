import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOG_SOURCE_CONDITIONS } from '#core/classic/catalog-source/catalog-conditions';
import { COPIES_CONDITION } from '#core/classic/csv/copies/copies-switch';
import { PHASE_TABLE } from '#core/classic/csv/phases/phase-table';
import { INSTALLED } from '#core/classic/install-plan/plan/plan-conditions';
import { OPERATOR_GROUP_CONDITIONS } from '#core/classic/operator-group/group-conditions';
import { SUBSCRIPTION_CONDITIONS } from '#core/classic/subscription/subscription-conditions';
import { CAUSE_CODES } from '#core/cluster/diagnosis/cause-codes';
import { SOURCE_CONDITIONS } from '#core/cluster/imports/source-status';
import { CLUSTER_CONDITIONS } from '#core/cluster/membership/cluster-conditions';
import { ROLLOUT_REASONS, TRANSITIONS, WAVE_REASONS } from '#core/rollout/controller/step/phases';
import { NOTIFICATION_CONDITIONS } from '#core/rollout/notifications/notification-status';
import { CLUSTER_CATALOG_CONDITIONS } from '#core/v1/cluster-catalog/cluster-catalog-status';
import { EXTENSION_CONDITIONS, REVISION_CONDITIONS } from '#core/v1/revision/extension-condition';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { code, markdownTable } from './markdown-table.js';

/** Folders with the code that sets conditions of these kinds. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  CatalogSource: ['libs/core/src/classic/catalog-source', 'libs/lifecycle/src/catalogs{,/sources}'],
  Subscription: ['libs/core/src/classic/subscription', 'libs/lifecycle/src/classic/subscriptions'],
  InstallPlan: ['libs/core/src/classic/install-plan/**', 'libs/lifecycle/src/classic/install-plans'],
  OperatorGroup: ['libs/core/src/classic/operator-group'],
  OLMConfig: ['libs/core/src/classic/csv/copies', 'libs/lifecycle/src/classic/csvs'],
  ClusterCatalog: ['libs/core/src/v1/cluster-catalog'],
  ClusterExtension: [
    'libs/core/src/v1/extension',
    'libs/core/src/v1/bundle-render/**',
    'libs/lifecycle/src/v1/{desired,extensions,revisions}',
  ],
  ClusterObjectSet: ['libs/core/src/v1/revision'],
  FleetCluster: ['libs/core/src/cluster/membership', 'libs/lifecycle/src/fleet'],
  FleetClusterSource: ['libs/core/src/cluster/imports', 'libs/lifecycle/src/clusters/sources'],
  FleetNotification: ['libs/core/src/rollout/notifications'],
};

/** Forms in which code writes the reason of a condition. */
const REASONS = [
  /\breason(?::| =) '([A-Z][A-Za-z]+)'/g,
  /extensionCondition\('[A-Za-z]+', '(?:True|False|Unknown)', '([A-Z][A-Za-z]+)'/g,
  /\b(?:progressing|available|installed)\('(?:(?:True|False|Unknown)', ')?([A-Z][A-Za-z]+)'/g,
];
/** The types of conditions, as the module of each kind lists them. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  CatalogSource: CATALOG_SOURCE_CONDITIONS,
  Subscription: Object.keys(SUBSCRIPTION_CONDITIONS),
  InstallPlan: [INSTALLED],
  OperatorGroup: OPERATOR_GROUP_CONDITIONS,
  OLMConfig: [COPIES_CONDITION],
  ClusterCatalog: CLUSTER_CATALOG_CONDITIONS,
  ClusterExtension: EXTENSION_CONDITIONS,
  ClusterObjectSet: REVISION_CONDITIONS,
  FleetCluster: CLUSTER_CONDITIONS,
  FleetClusterSource: SOURCE_CONDITIONS,
  FleetNotification: NOTIFICATION_CONDITIONS,
};

function reasonsIn(folders: readonly string[]): string {
  const files = folders.flatMap((folder) => globSync(`${folder}/*.ts`, { cwd: PROJECT_ROOT })).sort();
  const own = files.filter((file) => !/\.(spec|fixture)\.ts$/.test(file));
  const texts = own.map((file) => readFileSync(join(PROJECT_ROOT, file), 'utf8'));
  const found = texts.flatMap((text) =>
    REASONS.flatMap((form) => [...text.matchAll(form)].map(([, word = '']) => word)),
  );
  return words(found);
}

const words = (all: readonly string[]): string => [...new Set(all)].sort().map(code).join(' ');

/** The page about conditions, reasons and codes. */
export const reasonsPage = (): string =>
  [
    '# Conditions, reasons and codes',
    'Made from the code that sets them. `flotilla explain` says what one means for an object of yours, and what to do.',
    '## Codes of causes',
    'Key `code` of `flotilla status` and `flotilla explain` with `-o json`; the console groups by it. A code is never changed or used for something else.',
    markdownTable(
      ['Code', 'It says'],
      Object.entries(CAUSE_CODES).map(([name, text]) => [code(name), text]),
    ),
    '## Conditions by kind',
    markdownTable(
      ['Kind', 'Types', 'Reasons'],
      Object.entries(FOLDERS).map(([kind, folders]) => [kind, words(TYPES[kind] ?? []), reasonsIn(folders)]),
    ),
    '## Phases of a ClusterServiceVersion',
    'In its phase, the first line whose condition holds decides. What Flotilla adds to OLM begins with its name.',
    markdownTable(
      ['Phase', 'When', 'Goes to', 'Reason'],
      PHASE_TABLE.map(({ phase, when, to, reason = '' }) => [
        code(phase || 'none'),
        when,
        to === undefined ? 'stays' : code(to),
        code(reason),
      ]),
    ),
    '## Phases of rollouts',
    phases('Of a rollout', ROLLOUT_REASONS),
    phases('Of a wave', WAVE_REASONS),
    phases('Of a cluster in a rollout', ofClusters()),
  ].join('\n\n');

const phases = (title: string, reasons: Readonly<Record<string, readonly string[]>>): string =>
  `### ${title}\n\n${markdownTable(
    ['Phase', 'Reasons'],
    Object.entries(reasons).map(([phase, all]) => [code(phase), all.map(code).join(' ')]),
  )}`;

/** Returns all reasons that bring a row into each phase. */
function ofClusters(): Readonly<Record<string, readonly string[]>> {
  const into = new Map<string, Set<string>>();
  for (const steps of Object.values(TRANSITIONS))
    for (const [phase, reasons] of Object.entries(steps)) {
      const known = into.get(phase) ?? new Set();
      for (const reason of reasons) known.add(reason);
      into.set(phase, known);
    }
  return Object.fromEntries([...into].map(([phase, reasons]) => [phase, [...reasons].sort()]));
}
