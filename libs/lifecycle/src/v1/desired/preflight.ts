import type { ClusterExtension } from '#core/kernel/api/cluster-extension';
import { KIND } from '#core/kernel/api/kinds';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { resourceOf } from '#core/kernel/api/resource-of';
import { distinctKinds, neededToWrite, refusedKindsText } from '#core/kernel/rbac/needed-kinds';
import { goQuote } from '#core/kernel/versions/go-quote';
import { validateCrdUpgrade, violationText } from '#core/v1/crd-upgrade/validate-crd-upgrade';
import { missingPermissions, preauthorizationError } from '#core/v1/extension/preauthorize';
import type { DesiredRevision } from '#core/v1/revision/build-revision';
import { userOf } from '#platform/joining/own-rights';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { requireLive } from '../../engine/passes/perform.js';
import type { ExtensionPass } from '../extensions/extension-pass.js';

/**
 * Returns the objections to a revision before anything of it is stored (spec: v1-crd-safety.md, "When").
 * Undefined if there are none.
 */
export async function crdProblems(pass: ExtensionPass, { phases }: DesiredRevision): Promise<string | undefined> {
  if (isOff(pass.read.extension)) return undefined;
  const crds = phases.flatMap(({ objects }) => objects.filter(({ kind }) => kind === 'CustomResourceDefinition'));
  const texts = await Promise.all(
    crds.map(async (crd) => {
      const name = goQuote(crd.metadata.name ?? '');
      try {
        const violations = validateCrdUpgrade(await pass.client.get(refOf(crd)), crd);
        if (violations.length === 0) return undefined;
        return `validating upgrade for CRD ${name}: ${violations.map(violationText).join('\n')}`;
      } catch (error) {
        if (!KubeApiError.is(error) || error.status === 0) throw error;
        return `getting existing resource for CRD ${name}: ${error.said}`;
      }
    }),
  );
  const problems = texts.filter((text) => text !== undefined);
  return problems.length === 0 ? undefined : problems.join('\n');
}

const isOff = ({ spec }: ClusterExtension): boolean =>
  spec.install?.preflight?.crdUpgradeSafety?.enforcement === 'None';

/**
 * Returns the rights that the extension's service account is missing to manage all of it, in one text
 * (why: extensions.md "`serviceAccount` of a ClusterExtension").
 */
export async function permissionProblems(pass: ExtensionPass, desired: DesiredRevision): Promise<string | undefined> {
  const { reader, read } = pass;
  const { namespace, serviceAccount } = read.extension.spec;
  if (!serviceAccount?.name) return ownProblems(pass, desired);
  const { phases } = desired;
  const [roles, roleBindings, clusterRoles, clusterRoleBindings] = await Promise.all(
    [KIND.Role, KIND.RoleBinding, KIND.ClusterRole, KIND.ClusterRoleBinding].map((kind) => reader.list(kind)),
  );
  const missing = missingPermissions({
    account: { namespace, name: serviceAccount.name },
    rbac: {
      roles: roles ?? [],
      roleBindings: roleBindings ?? [],
      clusterRoles: clusterRoles ?? [],
      clusterRoleBindings: clusterRoleBindings ?? [],
    },
    objects: phases.flatMap(({ objects }) =>
      objects.map((object) => ({
        object,
        resource: resourceOf(object.kind),
        namespaced: object.metadata.namespace !== undefined,
      })),
    ),
    owner: { resource: 'clusterobjectsets', name: `${read.name}-${read.states.highestNumber + 1}` },
  });
  if (missing.length > 0) requireLive(pass, 'what rights are missing');
  return preauthorizationError(missing);
}

/** Returns the kinds that the hub's own login may not write, in one text. */
async function ownProblems(
  { client, deps: { rights }, now }: ExtensionPass,
  { phases }: DesiredRevision,
): Promise<string | undefined> {
  if (rights === undefined) return undefined;
  const needed = distinctKinds(phases.flatMap(({ objects }) => objects.map(neededToWrite)));
  const refused = await rights.refused(client, needed, now);
  if (refused.length === 0) return undefined;
  const text = refusedKindsText(await userOf(client), refused);
  return `the login of the hub lacks rights that the bundle needs: ${text}. Nothing was applied`;
}

/**
 * The service account that an extension names must be there: nothing can be written in its name otherwise.
 */
export async function accountProblem(pass: ExtensionPass): Promise<string | undefined> {
  const { reader, read } = pass;
  const { namespace, serviceAccount } = read.extension.spec;
  const name = serviceAccount?.name;
  if (name === undefined || name === '') return undefined;
  const account = await reader.get({ ...KIND.ServiceAccount, namespace, name });
  if (account !== undefined) return undefined;
  requireLive(pass, 'that a service account is missing');
  const found = `service account ${goQuote(name)} not found in namespace ${goQuote(namespace)}`;
  return `operation cannot proceed due to the following validation error(s): ${found}`;
}
