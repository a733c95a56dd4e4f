import { type OfferedDecision, offeredDecisions } from '#core/view/questions/offered-decisions';
import type { ConsoleVerb } from '#core/view/rights/console-verbs';
import type { RightsDecision } from '#core/view/rights/rights';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import { HubNotAsked } from '#platform/console/decisions/http-hub-decisions';
import type { HubDecisions, HubPerson } from '#platform/console/decisions/hub-decisions.port';
import {
  DeciderAnswer,
  OfferedAction,
  RolloutDecisionAnswer,
  RolloutDecisionRequest,
} from '../api/decisions.schema.js';
import type { RolloutSummary } from '../api/lists.schema.js';
import { badRequest, NotAllowed, notFound, RequestProblem, signInAgain } from '../api/problem.js';
import { rolloutsSeenBy } from '../lists/rollouts.js';
import type { Person } from '../sign-in/person.js';
import { type ApiRoute, get, post, type RouteContext } from './route.js';

const KEY = /^[\w-]{8,100}$/;

/** The verb of the console for each decision. Both its policy and the hub API must allow a decision. */
const VERBS: Readonly<Record<OfferedAction, ConsoleVerb>> = {
  Approve: 'approve',
  Pause: 'pause',
  Resume: 'resume',
  Promote: 'resume',
  Retry: 'retry',
  Abort: 'abort',
  Rollback: 'roll-back',
};

/** Kinds of change that move packages of unknown names. */
const MOVES_OTHERS: ReadonlySet<string> = new Set(['NeighbourMove', 'NewDependency', 'CatalogOnly']);
/** Asks the policy for all packages: only `*` matches it. */
const ANY_PACKAGE = '';

type Seen = RolloutSummary & Pick<FleetRolloutRow, 'packageKnown'>;

/** @throws RequestProblem if the person sees no such rollout */
async function seenRollout(context: RouteContext): Promise<Seen> {
  const id = context.params['id'] ?? '';
  const found = (await rolloutsSeenBy(context)).find((one) => one.id === id);
  if (found === undefined) throw notFound('such rollout');
  const { packageKnown } = (await context.reader.rollouts()).find((one) => one.id === id) ?? {};
  return { ...found, packageKnown };
}

async function tokenOf({ by, signedInWith }: Person): Promise<string | undefined> {
  const proof = by === 'oidc' ? await signedInWith?.() : undefined;
  return proof !== undefined && 'token' in proof ? proof.token : undefined;
}

/** Returns the package that a decision is about. */
function packageOf({ package: name, packageKnown, classes }: Seen, hash: string | undefined): string {
  const changes = classes.find((one) => one.hash === hash)?.changes ?? [];
  return packageKnown && !changes.some((change) => MOVES_OTHERS.has(change)) ? name : ANY_PACKAGE;
}

/** Asks the policy of the console for a package in all clusters: only `*` matches an empty name. */
function inConsole({ rights }: Person, action: OfferedAction, name: string): RightsDecision {
  const everywhere = { cluster: '', namespace: '', packages: [name] };
  return rights.decide(VERBS[action], everywhere, () => ({}));
}

/** Returns the waiting plan classes that the person may approve: a class may move other packages, too. */
const approvedBy = (person: Person, rollout: Seen): string[] =>
  rollout.classes
    .map(({ hash }) => hash)
    .filter((hash) => inConsole(person, 'Approve', packageOf(rollout, hash)).allowed);

/** True if the policy allows the action; `classes`: those that the person may approve. */
function mayInConsole(person: Person, action: OfferedAction, rollout: Seen, classes: readonly string[]): boolean {
  if (action === 'Approve' && rollout.classes.length > 0) return classes.length > 0;
  return inConsole(person, action, packageOf(rollout, undefined)).allowed;
}

const elsewhere = (because: string): DeciderAnswer => ({ here: false, by: '', may: [], classes: [], because });
const TOKEN_REFUSED = 'The hub API does not accept your sign-in here.';

async function decider(context: RouteContext): Promise<DeciderAnswer> {
  const { decisions, person } = context;
  const rollout = await seenRollout(context);
  // One that is derived from the clusters takes no decisions.
  if (decisions === undefined || person.by !== 'oidc' || rollout.derived) return elsewhere('');
  const token = await tokenOf(person);
  if (token === undefined) return elsewhere('Your sign-in at the issuer has expired. Sign in again to decide here.');
  try {
    const known = await decisions.hub.personOf(token);
    if (known === undefined) return elsewhere(TOKEN_REFUSED);
    const classes = approvedBy(person, rollout);
    const actions = OfferedAction.options.filter((action) => mayInConsole(person, action, rollout, classes));
    const may = await decisions.hub.allowed(token, rollout.id, actions);
    const approves = may.has('Approve') ? classes : [];
    const some = actions.filter((action) => may.has(action));
    return { here: true, by: known.user, may: some, classes: approves, because: '' };
  } catch (error) {
    if (!(error instanceof HubNotAsked)) throw error;
    return elsewhere(`The hub API could not be asked: ${error.message}.`);
  }
}

const isSame = (offered: OfferedDecision, asked: RolloutDecisionRequest): boolean =>
  offered.action === asked.action && offered.class === asked.class && offered.wave === asked.wave;

/** @throws RequestProblem if the rollout does not take the decision now, or no or other changes were shown */
function checkOffered(rollout: RolloutSummary, asked: RolloutDecisionRequest): void {
  if (asked.action === 'Approve' && (asked.changes ?? []).length === 0) {
    throw badRequest('An approval must name the kinds of change that were shown.');
  }
  if (!offeredDecisions(rollout).some((one) => isSame(one, asked))) {
    const detail = `The rollout does not take the decision ${asked.action} any more.`;
    throw new RequestProblem(409, 'not-offered', detail, 'Read its state again.');
  }
  const known = rollout.classes.find(({ hash }) => hash === asked.class)?.changes ?? [];
  const others = (asked.changes ?? []).filter((change) => !known.includes(change));
  if (others.length === 0) return;
  const detail = `Plan class ${asked.class ?? ''} does not have these changes: ${others.join(', ')}.`;
  throw new RequestProblem(409, 'not-offered', detail, 'Read its changes again, and approve those.');
}

function checkRole(person: Person, { action, class: hash }: RolloutDecisionRequest, rollout: Seen): void {
  const name = packageOf(rollout, hash);
  const decision = inConsole(person, action, name);
  if (decision.allowed) return;
  const verb = VERBS[action];
  const detail =
    name === ANY_PACKAGE
      ? `It may move other packages, and you may not ${verb} all packages in all clusters.`
      : `You may not ${verb} in all clusters.`;
  const answer = new RequestProblem(403, 'not-allowed', detail, 'Ask the administrator of the policy file.');
  throw new NotAllowed(answer, verb, [rollout.id], decision.because);
}

const notConnected = () =>
  new RequestProblem(
    503,
    'no-decisions',
    'This console makes no decisions about rollouts for you.',
    'Use the command that the page shows.',
  );

async function decide(context: RouteContext, asked: RolloutDecisionRequest): Promise<RolloutDecisionAnswer> {
  const { decisions, person, headers, audit } = context;
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || !KEY.test(key)) throw badRequest('The header Idempotency-Key is missing.');
  const rollout = await seenRollout(context);
  if (rollout.derived) throw notFound('rollout that takes decisions');
  if (decisions === undefined || person.by !== 'oidc') throw notConnected();
  checkRole(person, asked, rollout);
  checkOffered(rollout, asked);
  const token = await tokenOf(person);
  if (token === undefined) throw signInAgain();
  const known = await asking(() => decisions.hub.personOf(token));
  if (known === undefined) throw new RequestProblem(403, 'refused-by-hub', TOKEN_REFUSED, 'Use the command.');
  const { action, reason, class: hash } = asked;
  const told = { verb: `rollout-${action.toLowerCase()}`, targets: [rollout.id], ...(hash && { planHash: hash }) };
  // The audit line first: a decision that cannot be recorded is not made.
  await audit({ event: 'action', ...told, comment: reason }).catch((error: unknown) => {
    const why = 'The audit log cannot be written, so nothing was done.';
    throw new RequestProblem(503, 'no-audit', why, `Correct FLOTILLA_CONSOLE_AUDIT_FILE: ${String(error)}`);
  });
  const end = await ended(decisions.hub, token, known, {
    rollout: rollout.id,
    key: `${person.session} ${key}`,
    ...asked,
  });
  decisions.count(told.verb, end.outcome);
  // It is made by now. The log of this service has the line, too.
  const made = end.decision === '' ? {} : { action: end.decision };
  await audit({ event: 'result', ...told, ...made, outcome: end.outcome, because: end.message }).catch(() => undefined);
  return { ...end, by: known.user };
}

type Sent = Parameters<HubDecisions['decide']>[2];
type End = Awaited<ReturnType<HubDecisions['decide']>>;

/** Decides. A request without an answer may have been carried out: the person sees that. */
async function ended(hub: HubDecisions, token: string, by: HubPerson, decision: Sent): Promise<End> {
  return hub.decide(token, by, decision).catch((error: unknown): End => {
    if (!(error instanceof HubNotAsked)) throw error;
    return { outcome: 'unanswered', decision: '', message: `It is not known if it was made: ${error.message}.` };
  });
}

/** @throws RequestProblem if the hub API does not answer */
function asking<T>(question: () => Promise<T>): Promise<T> {
  return question().catch((error: unknown) => {
    if (!(error instanceof HubNotAsked)) throw error;
    const detail = 'The hub API could not be asked, so nothing was done.';
    throw new RequestProblem(502, 'hub-away', detail, `${error.message}. Try again, or use the command.`);
  });
}

/** Routes for decisions about rollouts, made in the hub API in the person's own name. */
export const decisionRoutes: readonly ApiRoute[] = [
  get({
    path: '/rollouts/:id/decider',
    name: 'DeciderAnswer',
    summary: 'The decisions about a rollout that the person may make in the console',
    answer: DeciderAnswer,
    run: decider,
  }),
  post({
    path: '/rollouts/:id/decisions',
    name: 'RolloutDecisionAnswer',
    summary: 'Decide about a rollout in the hub API in your own name; with the header Idempotency-Key',
    body: RolloutDecisionRequest,
    answer: RolloutDecisionAnswer,
    status: 200,
    run: (context) => decide(context, context.body),
  }),
];
