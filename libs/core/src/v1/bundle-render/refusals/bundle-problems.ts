import { objectFaults } from '../../../catalog/bundle/object-faults.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { definesProtectedApi, protectedApiText } from '../../../kernel/crd/protected-apis.js';
import { subdomainProblems } from '../../../kernel/labels/label-syntax.js';
import { verdictLine } from '../../../kernel/verdict/verdict-line.js';
import { goQuote } from '../../../kernel/versions/go-quote.js';
import { deploymentsOf, ownedCrdNames, type RegistryBundle } from '../bundle/registry-bundle.js';
import { isSupportedKind } from './bundle-kinds.js';
import { duplicates } from './duplicates.js';
import { webhookProblems } from './webhook-problems.js';

type Check = (bundle: RegistryBundle) => readonly string[];

const sorted = (names: Iterable<string>): string[] => [...names].sort(byCodeUnit);

const duplicateDeployments: Check = (bundle) =>
  duplicates(deploymentsOf(bundle).map(({ name }) => name)).map(
    (name) => `cluster service version contains duplicate strategy deployment spec '${name}'`,
  );

const deploymentNames: Check = (bundle) =>
  sorted(new Set(deploymentsOf(bundle).map(({ name }) => name))).flatMap((name) => {
    const problems = sorted(subdomainProblems(name)).join(', ');
    return problems === '' ? [] : [`invalid cluster service version strategy deployment name '${name}': ${problems}`];
  });

const crdNames = ({ crds }: RegistryBundle): string[] => crds.map(({ metadata }) => metadata.name ?? '');

const duplicateCrds: Check = (bundle) =>
  duplicates(crdNames(bundle)).map((name) => `bundle contains duplicate custom resource definition '${name}'`);

const missingCrds: Check = (bundle) => {
  const present = new Set(crdNames(bundle));
  const missing = new Set(ownedCrdNames(bundle).filter((name) => !present.has(name)));
  return sorted(missing).map(
    (name) => `cluster service definition references owned custom resource definition '${name}' not found in bundle`,
  );
};

const protectedCrds: Check = ({ crds }) =>
  crds.filter(definesProtectedApi).map(({ metadata }) => protectedApiText(metadata.name ?? ''));

/** Stricter than OLM v1: it finds these only at the object itself, after it has applied the phases before. */
const refusedObjects: Check = ({ crds, others }) =>
  [...crds.filter((crd) => !definesProtectedApi(crd)), ...others.filter(({ kind }) => isSupportedKind(kind))].flatMap(
    (object) => {
      const [fault] = objectFaults(object);
      return fault === undefined ? [] : [verdictLine([`${object.kind} ${object.metadata.name ?? ''}`], fault)];
    },
  );

const packageNamed: Check = ({ packageName }) => (packageName === '' ? ['package name is empty'] : []);

const unsupportedKinds: Check = ({ others }) =>
  others
    .filter(({ kind }) => !isSupportedKind(kind))
    .map(({ kind, metadata }) => `unsupported resource ${goQuote(metadata.name ?? '')} with kind ${goQuote(kind)}`);

/** The order is contract: users see all problems in it (spec: v1-apply.md §2, item 6). */
const CHECKS: readonly Check[] = [
  duplicateDeployments,
  deploymentNames,
  duplicateCrds,
  missingCrds,
  protectedCrds,
  packageNamed,
  webhookProblems,
  unsupportedKinds,
  refusedObjects,
];

/**
 * Returns every reason for which OLM v1 refuses a bundle with any request, one sentence each. Beyond OLM v1,
 * it also refuses CRDs of OLM's and Flotilla's own APIs, and objects that no API server takes.
 */
export const bundleProblems = (bundle: RegistryBundle): readonly string[] => CHECKS.flatMap((check) => check(bundle));
