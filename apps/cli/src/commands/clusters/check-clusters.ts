import type { CommandAccess } from '#core/cluster/advice/command-in';
import { sameIdentities } from '#core/cluster/membership/identity-claims';
import { type Right, rightLines } from '#core/cluster/membership/role-rights';
import { type ApplierRole, applierRole } from '#platform/joining/applier-role';
import { missingRights } from '#platform/joining/missing-rights';
import { HUB_ROLES, type HubRole, shippedRights } from '#platform/joining/shipped-rights';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { askClusters, fleetVerdict, reportAway, reportSame } from '../../clusters/ask-clusters.js';
import type { ClusterOptions } from '../../clusters/cluster-options.js';
import { commandAccess } from '../../clusters/command-access.js';
import { identityOf, isEndless } from '../../clusters/find-clusters.js';
import { whoAmI } from '../../clusters/who-am-i.js';
import { grantIn } from '../../clusters/withheld.js';
import { isData } from '../../output/data-format.js';
import { dataText } from '../../output/data-text.js';
import { NEXT } from '../../output/next-commands.js';
import type { AnswerFormat } from '../../output/output-option.js';
import { exitCodeOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';

/** `applierRole`: the role with which the login was compared. The applier has two to choose from. */
type CheckedRoles = Readonly<{
  missing: Readonly<Record<HubRole, readonly Right[]>>;
  applierRole: ApplierRole['role'];
}>;

export type CheckOptions = ClusterOptions & Readonly<{ output: AnswerFormat; allowMissing: boolean }>;

/**
 * Runs `flotilla clusters check`: whether this user has the rights in a cluster that poller and applier need.
 */
export async function checkClusters(clients: readonly KubeClient[], io: Io, options: CheckOptions): Promise<void> {
  const fleet = await askClusters(clients, async (client) => {
    const [roles, user, identity] = await Promise.all([missingOfRoles(client), userOf(client), identityOf(client)]);
    return { ...roles, user, identity, login: loginOf(client), access: commandAccess(client, options) };
  });
  reportAway(fleet.away, io);
  const same = sameIdentities(fleet.answers.map(({ cluster, value: { identity } }) => ({ cluster, identity })));
  reportSame(same, io);
  const { output } = options;
  const hasAllRights = fleet.answers.every(({ value }) => HUB_ROLES.every((role) => value.missing[role].length === 0));
  const isComplete = hasAllRights && same.size === 0;
  const verdict = fleetVerdict(isComplete, fleet, options);
  const items = fleet.answers.map(({ cluster, value: { access: _printed, identity: _compared, ...value } }) => {
    const conflict = same.get(cluster);
    return { cluster, ...value, ...(conflict === undefined ? {} : { conflict }) };
  });
  if (isData(output)) io.out(dataText({ verdict, away: fleet.away, items }, output));
  else for (const { cluster, value } of fleet.answers) io.out(report({ cluster, ...value }));
  io.exit(exitCodeOf(verdict));
}

/** The rights of both roles that this client's user is missing. */
export async function missingOfRoles(client: Pick<KubeClient, 'create'>): Promise<CheckedRoles> {
  const [observe, { role, missing }] = await Promise.all([
    missingRights(client, await shippedRights('observe')),
    applierRole(client),
  ]);
  return { missing: { observe, apply: missing }, applierRole: role };
}

/** The name of this client's user; empty if the API server does not say it, as before Kubernetes 1.28. */
const userOf = (client: KubeClient): Promise<string> =>
  whoAmI(client).then(
    ({ user }) => user,
    () => '',
  );

/** The expiry of the login. It is known only for a token of a ServiceAccount. */
type Login = Readonly<{ endless: boolean; expiresAt?: string }>;

const loginOf = (client: KubeClient): Login => ({
  endless: isEndless(client),
  ...(client.account?.expiresAt !== undefined && { expiresAt: new Date(client.account.expiresAt).toISOString() }),
});

type Checked = CheckedRoles & Readonly<{ cluster: string; user: string; login: Login; access: CommandAccess }>;

function report({ cluster, missing, applierRole: own, user, login, access }: Checked): string {
  const lines = HUB_ROLES.flatMap((service) => {
    const rights = missing[service];
    const role = service === 'apply' ? own : service;
    if (rights.length === 0) {
      const others = role === 'apply-listed' ? '; kinds that it does not list are refused' : '';
      return [`  ${SERVICE[service]}: has every right of ClusterRole flotilla:${role}${others}`];
    }
    return [
      `  ${SERVICE[service]}: missing rights of ClusterRole flotilla:${role}`,
      ...rightLines(rights).map((line) => `    ${line}`),
      '    grant it with the login of an administrator, in place of this one:',
      ...NEXT.grantRole(role, user).map((command) => `      ${grantIn(access, command)}`),
    ];
  });
  const ends = login.expiresAt === undefined ? [] : [`  login: ends at ${login.expiresAt} unless the hub renews it`];
  const endless = login.endless ? ['  login: a token that never ends (docs/access.md, "Logins that end")'] : [];
  return [cluster, ...lines, ...ends, ...endless, ''].join('\n');
}

const SERVICE: Readonly<Record<HubRole, string>> = { observe: 'poller', apply: 'applier' };
