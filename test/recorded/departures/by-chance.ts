import { at, both, drop, inKind, inTexts, isList, isMap } from '../dump-edits.js';
import { REFUSALS } from '../orders.js';
import type { Json } from '../recording.js';
import type { Departure } from './departure.js';

const REQUIREMENT =
  /requires an operator (with package: lighthouse-operator and with version in range: >=1\.0\.0|providing an API with group: tugs\.missing-dependency\.example\.com, version: v1, kind: Tug)/;

const MERCURY_REQUIREMENT =
  /(bundle mercury-operator\.v1\.0\.2 requires an operator with package:) (strimzi-kafka-operator and with version in range: 0\.28\.0|camel-k and with version in range: 1\.9\.0)/;

const WHY = /(no registry client established for catalogsource \S+?): .*/;

const onceInARow = (list: Json): Json => (isList(list) ? list.filter((item, index) => item !== list[index - 1]) : list);

/** Behaviour of OLM that varies between its own runs, or never ends. */
export const BY_CHANCE: readonly Departure[] = [
  {
    name: 'which-conflict',
    because:
      'two requirements cannot be met; which of them the message names varies from run to run in OLM (spec: classic-resolution.md §5)',
    scenario: 'missing-dependency',
    leaveOut: both(...['Subscription', REFUSALS].map((kind) => inTexts(kind, REQUIREMENT, 'requires <either>'))),
  },
  {
    name: 'which-conflict',
    because: 'as above: of the two packages that are required, now one is named and now the other',
    scenario: 'real-dependencies-missing',
    leaveOut: both(...['Subscription', REFUSALS].map((kind) => inTexts(kind, MERCURY_REQUIREMENT, '$1 <either>'))),
  },
  {
    name: 'account-evaluated',
    because:
      'OLM evaluated the rights of an account before its cache had the Role that makes this needless; in operatorcondition-blocks, the same upgrade, it had',
    scenario: 'upgrade-replaces',
    leaveOut: inKind('ClusterServiceVersion', (csv) =>
      at(csv, ['status', 'requirementStatus'], (list) =>
        isList(list) ? list.filter((entry) => !isMap(entry) || entry['kind'] !== 'ServiceAccount') : list,
      ),
    ),
  },
  {
    name: 'why-no-client',
    because:
      'where OLM says that a catalog has no client, we go on to say the cause (why: catalogs.md "`connectionState` without a pod")',
    scenario: 'catalog-faults',
    leaveOut: both(
      ...['Subscription', REFUSALS].map((kind) => inTexts(kind, WHY, '$1')),
      inKind(REFUSALS, (conditions) => at(conditions, ['history'], onceInARow)),
    ),
  },
  {
    name: 'refused-verb',
    because:
      'OLM asks for a Deployment with the rights of the account before it creates it; we know by then that there is none',
    scenario: 'attenuated-csv-install',
    leaveOut: inTexts(
      'ClusterServiceVersion',
      /deployments\.apps.* is forbidden: (User "\S+" cannot) \w+/,
      'deployments.apps is forbidden: $1',
    ),
  },
  {
    name: 'turning-in-circles',
    because: 'OLM tries again without end what it refuses; here the CSV stays Failed while the cause stands',
    scenario: 'webhook-rule-guard',
    leaveOut: both(
      inKind('ClusterServiceVersion', (csv) =>
        at(at(csv, ['status', 'conditions'], withoutCircles), ['history'], withoutCircles),
      ),
    ),
  },
  {
    name: 'conversion-put-back',
    because:
      'OLM carries out a plan a second time, puts the CRD of the bundle over the installed conversion, and installs again; here a step that is done is not done again',
    scenario: 'webhooks-conversion',
    leaveOut: inKind('ClusterServiceVersion', (csv) =>
      at(at(csv, ['status', 'conditions'], withoutReinstall), ['history'], withoutReinstall),
    ),
  },
  {
    name: 'edit-undone',
    because:
      'an edited template rolls out; who looks during the rollout reinstalls the CSV’s, who looks after it leaves the edit (README: loops)',
    scenario: 'drift',
    leaveOut: inKind('Deployment', drop('spec', 'template', 'metadata', 'labels', 'edited')),
  },
];

/** Returns each line once: repeated lines are ways that end in themselves. */
const withoutCircles = (list: Json): Json =>
  isList(list) ? [...new Set(list)].filter((line) => !/^(Pending|InstallReady)\//.test(String(line))).toSorted() : list;

const withoutReinstall = (list: Json): Json =>
  isList(list)
    ? [...new Set(list)].filter((line) => !String(line).startsWith('Pending/NeedsReinstall')).toSorted()
    : list;
