import { ADMISSION_GROUP } from '../../../kernel/api/kinds.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { subdomainProblems } from '../../../kernel/labels/label-syntax.js';
import { goQuote } from '../../../kernel/versions/go-quote.js';
import {
  type BundleWebhook,
  deploymentsOf,
  ownedCrdNames,
  type RegistryBundle,
  supportedInstallModes,
  webhooksOf,
} from '../bundle/registry-bundle.js';
import { duplicates } from './duplicates.js';

/** Types of webhooks (spec: api-types.md §5). */
export const WEBHOOK_TYPE = {
  validating: 'ValidatingAdmissionWebhook',
  mutating: 'MutatingAdmissionWebhook',
  conversion: 'ConversionWebhook',
} as const;

type Check = (bundle: RegistryBundle) => readonly string[];

const conversions = (bundle: RegistryBundle): readonly BundleWebhook[] =>
  webhooksOf(bundle).filter(({ type }) => type === WEBHOOK_TYPE.conversion);

const onlyAllNamespacesConvert: Check = (bundle) => {
  const modes = supportedInstallModes(bundle);
  if (modes.length === 1 && modes[0] === 'AllNamespaces') return [];
  return conversions(bundle).map(
    ({ generateName }) =>
      `bundle contains conversion webhook ${goQuote(generateName)} and supports install modes [${modes.join(' ')}] - ` +
      'conversion webhooks are only supported for bundles that only support AllNamespaces install mode',
  );
};

const deploymentsExist: Check = (bundle) => {
  const deployments = new Set(deploymentsOf(bundle).map(({ name }) => name));
  return webhooksOf(bundle)
    .filter(({ deploymentName }) => !deployments.has(deploymentName))
    .toSorted(
      (a, b) =>
        byCodeUnit(a.deploymentName, b.deploymentName) ||
        byCodeUnit(a.type, b.type) ||
        byCodeUnit(a.generateName, b.generateName),
    )
    .map(
      ({ type, generateName, deploymentName }) =>
        `webhook of type '${type}' with name '${generateName}' references non-existent deployment '${deploymentName}'`,
    );
};

/** Webhooks of one type may not share a name; those of different types may. */
const namesAreUnique: Check = (bundle) =>
  byType(bundle).flatMap(([type, names]) =>
    duplicates(names).map((name) => `duplicate webhook '${name}' of type '${type}'`),
  );

const namesAreValid: Check = (bundle) =>
  byType(bundle).flatMap(([type, names]) =>
    [...new Set(names)].sort(byCodeUnit).flatMap((name) => {
      const problems = subdomainProblems(name).sort(byCodeUnit).join(',');
      return problems === '' ? [] : [`webhook of type '${type}' has invalid name '${name}': ${problems}`];
    }),
  );

/** Names of webhooks by their type, the types sorted. */
function byType(bundle: RegistryBundle): (readonly [type: string, names: readonly string[]])[] {
  const groups = [...Map.groupBy(webhooksOf(bundle), ({ type }) => type)];
  return groups
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([type, webhooks]) => [type, webhooks.map(({ generateName }) => generateName)]);
}

const oneConversionForACrd: Check = (bundle) => {
  const names = new Map<string, string[]>();
  for (const { generateName, conversionCRDs } of conversions(bundle)) {
    for (const crd of conversionCRDs) names.set(crd, [...(names.get(crd) ?? []), generateName]);
  }
  return [...names]
    .filter(([, webhooks]) => webhooks.length > 1)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([crd, webhooks]) => {
      const list = webhooks.sort(byCodeUnit).join(',');
      return `conversion webhooks [${list}] reference same custom resource definition '${crd}'`;
    });
};

const convertedCrdsAreOwned: Check = (bundle) => {
  const owned = new Set(ownedCrdNames(bundle));
  const webhooks = conversions(bundle).toSorted((a, b) => byCodeUnit(a.generateName, b.generateName));
  return webhooks.flatMap(({ generateName, conversionCRDs }) =>
    conversionCRDs
      .toSorted(byCodeUnit)
      .filter((crd) => !owned.has(crd))
      .map(
        (crd) => `conversion webhook '${generateName}' references custom resource definition '${crd}' not owned bundle`,
      ),
  );
};

const FORBIDDEN_GROUPS: ReadonlySet<string> = new Set(['olm.operatorframework.io', '*']);
const FORBIDDEN_RESOURCES: ReadonlySet<string> = new Set([
  '*',
  ...['mutatingwebhookconfiguration', 'mutatingwebhookconfigurations'],
  ...['validatingwebhookconfiguration', 'validatingwebhookconfigurations'],
]);

/** A webhook must not be able to block the removal of itself or of its installer. */
const rulesAreAllowed: Check = (bundle) =>
  webhooksOf(bundle)
    .filter(({ type }) => type !== WEBHOOK_TYPE.conversion)
    .flatMap(({ generateName, rules }) =>
      rules.flatMap(({ apiGroups, resources }) =>
        (apiGroups ?? [])
          .flatMap((group) => forbidden(group, resources ?? []))
          .map(
            (what) =>
              `webhook ${goQuote(generateName)} contains forbidden rule: admission webhook rules cannot reference ${what}`,
          ),
      ),
    );

function forbidden(group: string, resources: readonly string[]): string[] {
  if (FORBIDDEN_GROUPS.has(group)) return [`API group ${goQuote(group)}`];
  if (group !== ADMISSION_GROUP) return [];
  return resources
    .filter((resource) => FORBIDDEN_RESOURCES.has(resource.toLowerCase()))
    .map((resource) => `resource ${goQuote(resource)} for API group ${goQuote(group)}`);
}

/** The order is contract: users see all problems in it. */
const CHECKS: readonly Check[] = [
  onlyAllNamespacesConvert,
  deploymentsExist,
  namesAreUnique,
  namesAreValid,
  oneConversionForACrd,
  convertedCrdsAreOwned,
  rulesAreAllowed,
];

/**
 * Returns the problems of a bundle's webhooks that prevent installation, one sentence each (spec: v1-apply.md
 * §2, item 6).
 */
export const webhookProblems = (bundle: RegistryBundle): readonly string[] => CHECKS.flatMap((check) => check(bundle));
