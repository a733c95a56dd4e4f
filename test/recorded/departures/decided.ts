import {
  at,
  both,
  drop,
  eachStep,
  inEveryKind,
  inKind,
  inTexts,
  withoutConditions,
  withoutKinds,
} from '../dump-edits.js';
import type { Departure } from './departure.js';

/** Intended departures of Flotilla from OLM. */
export const DECIDED: readonly Departure[] = [
  {
    name: 'catalog-connection',
    because:
      'why: catalogs.md "`connectionState` without a pod": no pod and no service behind a source; connectionState tells what the hub holds',
    leaveOut: both(
      ...['connectionState', 'registryService', 'latestImageRegistryPoll'].map((field) =>
        inKind('CatalogSource', drop('status', field)),
      ),
    ),
  },
  {
    name: 'requirements-as-they-are',
    because:
      'OLM leaves the requirements of a pending CSV as it found them first; people read them, so they are kept true',
    scenario: 'csv-requirement-missing',
    leaveOut: inKind('ClusterServiceVersion', drop('status', 'requirementStatus')),
  },
  {
    name: 'plan-generate-name',
    because: 'decision 0103: plans are named install-<hash of their content>, so they have no generateName',
    leaveOut: inKind('InstallPlan', drop('metadata', 'generateName')),
  },
  {
    name: 'plan-moves',
    because: 'decision 0103: a repeated job finds in its plan which Subscriptions it was made for',
    leaveOut: inKind('InstallPlan', drop('metadata', 'annotations', 'flotilla.dev/moves')),
  },
  {
    name: 'plan-made-by-hub',
    because: 'docs/decisions/0015: the hub marks the plans that it makes',
    leaveOut: inKind('InstallPlan', drop('metadata', 'annotations', 'flotilla.dev/made-by-hub')),
  },
  {
    name: 'plan-change',
    because: 'decision 0212: a plan names the change that it is part of',
    leaveOut: inKind('InstallPlan', drop('metadata', 'annotations', 'flotilla.dev/change')),
  },
  {
    name: 'csv-refused-rights',
    because:
      'why: classic.md "A refused install remembers its inputs": a CSV whose install was forbidden remembers the rights that it had',
    scenario: 'attenuated-csv-install',
    leaveOut: inKind('ClusterServiceVersion', drop('metadata', 'annotations', 'flotilla.dev/refused-rights')),
  },
  {
    name: 'rights-without-label',
    because:
      'why: classic.md "A refused install remembers its inputs": more rights of the account count at once; OLM waits for its group to be looked at again',
    scenario: 'attenuated-csv-install',
    dump: 'role-changed',
    leaveOut: both(
      inKind('ClusterServiceVersion', drop('status')),
      inKind('Operator', drop('status', 'components', 'refs')),
      withoutKinds('Deployment'),
    ),
  },
  {
    name: 'plan-shared-crds',
    because:
      'why: classic.md "The code of OLM counts": a plan names the other owners of a CRD and what changes for them',
    leaveOut: inKind('InstallPlan', drop('metadata', 'annotations', 'flotilla.dev/shared-crds')),
  },
  {
    name: 'no-unpack-job',
    because: 'why: classic.md "Unpack annotations": the hub pulls the bundle, so nothing is unpacked into the cluster',
    scenario: 'unpack-image-bundle',
    leaveOut: both(
      withoutKinds('Job'),
      inEveryKind((object, key) => (UNPACKED.test(key) ? undefined : object)),
    ),
  },
  {
    name: 'inline-manifests',
    because:
      'why: classic.md "Unpack annotations": a plan that has room for its manifests holds them; OLM refers to the unpacked bundle',
    scenario: 'unpack-image-bundle',
    leaveOut: eachStep((step) => at(step, ['resource', 'manifest'], () => undefined)),
  },
  {
    name: 'unpacking-over',
    because: 'OLM leaves BundleUnpacking behind until the next resolution (spec: subscriptions.md §2.9)',
    scenario: 'unpack-image-bundle',
    leaveOut: both(
      withoutConditions('Subscription', 'BundleUnpacking'),
      inTexts('Operator', / BundleUnpacking=True\/UnpackingInProgress/, ''),
    ),
  },
  {
    name: 'while-unpacking',
    because: 'dumped between Job and plan; here there is no such time',
    scenario: 'unpack-image-bundle',
    dump: 'unpacking',
    leaveOut: () => ({}),
  },
];

/** Named after the hash of the bundle's image. */
const UNPACKED = /\/[0-9a-f]{63}$/;
