import { randomUUID } from 'node:crypto';
import type { ConsoleAction } from '#core/view/actions/console-action';
import { oneLine } from '#core/view/actions/decide-approval';
import { admitTargets, mayActAnywhere } from '../actions/admit-targets.js';
import { ActionAnswer, ActionRequest, type ActionResult } from '../api/actions.schema.js';
import { badRequest, NotAllowed, notFound, RequestProblem } from '../api/problem.js';
import { labelsIn } from '../rows/visible-rows.js';
import { type ApiRoute, get, post, type RouteContext } from './route.js';

const KEY = /^[\w-]{8,100}$/;

const notHere = () =>
  new RequestProblem(
    503,
    'no-actions',
    'This console cannot send actions.',
    'Use the command, or a console with the hub’s Redis.',
  );

function checkedRequest(request: ActionRequest): ActionRequest {
  const { verb, planHash, revision, targets } = request;
  if (verb === 'approve' && planHash === undefined) throw badRequest('An approval must name the reviewed hash.');
  if (verb === 'roll-back' && revision === undefined) throw badRequest('A rollback must name the revision.');
  const addresses = new Set(targets.map(({ cluster, namespace, name }) => `${cluster}\n${namespace}\n${name}`));
  if (addresses.size < targets.length) throw badRequest('A target is named twice.');
  return request;
}

function refuseStrangers({ person }: RouteContext, { verb, targets }: ActionRequest): void {
  if (mayActAnywhere(person.rights, verb)) return;
  const answer = new RequestProblem(
    403,
    'not-allowed',
    `You may not ${verb}.`,
    'Ask the administrator of the policy file.',
  );
  const decision = person.rights.decide(verb, undefined, () => ({}));
  throw new NotAllowed(answer, verb, targets.map(addressOf), decision.allowed ? '' : decision.because);
}

const addressOf = ({ cluster, namespace, name }: ActionResult | ActionRequest['targets'][number]): string =>
  [cluster, namespace, name].join('/');

function actionOf(request: ActionRequest, by: string): ConsoleAction {
  const { verb, targets, planHash, revision, comment } = request;
  const line = comment === undefined ? '' : oneLine(comment);
  return {
    ...{ v: 1, id: randomUUID(), verb, targets, by, at: new Date().toISOString().replace(/\.\d+Z$/, 'Z') },
    ...(planHash === undefined ? {} : { planHash }),
    ...(revision === undefined ? {} : { revision }),
    ...(line === '' ? {} : { comment: line }),
  };
}

async function act(context: RouteContext, body: ActionRequest): Promise<ActionAnswer> {
  const { actions, person, view, headers, audit } = context;
  if (actions === undefined) throw notHere();
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || !KEY.test(key)) throw badRequest('The header Idempotency-Key is missing.');
  const request = checkedRequest(body);
  refuseStrangers(context, request);
  const { sent, ended } = admitTargets(request, person.rights, (...at) => view.row(...at), labelsIn(view));
  const action = actionOf(request, person.name);
  const { id, verb, planHash, comment } = action;
  const told = { verb, ...(planHash && { planHash }), ...(comment && { comment }), action: id };
  const refused = ended.filter(({ outcome }) => outcome === 'refused');
  if (refused.length > 0)
    await audit({ event: 'refused', ...told, targets: refused.map(addressOf), because: refused[0]?.message ?? '' });
  const known = sent.length === 0 ? id : await sendOnce(context, { ...action, targets: [...sent] }, key, told);
  if (known !== id) return findAction(context, known);
  const pending = sent.map((target): ActionResult => ({ ...target, outcome: 'pending', message: '' }));
  return actions.book.note(action, pending, ended, async (answer, news) => {
    actions.publish(person, answer);
    for (const result of news) {
      const { outcome, message } = result;
      actions.count(verb, outcome);
      await audit({ event: 'result', verb, action: id, targets: [addressOf(result)], outcome, because: message });
    }
  });
}

/** The audit line first: an action that cannot be recorded is not done. */
async function sendOnce(
  { actions, audit, person }: RouteContext,
  action: ConsoleAction,
  key: string,
  told: Readonly<{ verb: string }>,
): Promise<string> {
  if (actions === undefined) throw notHere();
  await audit({ event: 'action', ...told, targets: action.targets.map(addressOf) }).catch((error: unknown) => {
    const why = 'The audit log cannot be written, so nothing was done.';
    throw new RequestProblem(503, 'no-audit', why, `Correct FLOTILLA_CONSOLE_AUDIT_FILE: ${String(error)}`);
  });
  const { sender, prove } = actions;
  return sender.send(action, key, () => prove(person, { reader: 'applier', verb: action.verb, subject: action }));
}

async function findAction({ actions, person }: RouteContext, id: string): Promise<ActionAnswer> {
  if (actions === undefined) throw notHere();
  const isOwn = (by: string) => by === person.name || person.rights.mayAnywhere('admin');
  const open = actions.book.find(id);
  if (open !== undefined && isOwn(open.by)) return open.answer;
  const action = open === undefined ? await actions.sender.find(id) : undefined;
  if (action === undefined || !isOwn(action.by)) throw notFound('such action');
  const results = await actions.sender.results(id);
  const { verb, by, at, targets } = action;
  const pending = { outcome: 'pending', message: '' } as const;
  const of = (target: (typeof targets)[number]) => results.find((one) => addressOf(one) === addressOf(target));
  return { id, verb, by, at, results: targets.map((target) => of(target) ?? { ...target, ...pending }) };
}

/** Routes for the decisions of people. */
export const actionRoutes: readonly ApiRoute[] = [
  post({
    path: '/actions',
    name: 'ActionAnswer',
    summary: 'Approve, retry or roll back; with the header Idempotency-Key',
    body: ActionRequest,
    answer: ActionAnswer,
    status: 202,
    run: (context) => act(context, context.body),
  }),
  get({
    path: '/actions/:id',
    name: 'ActionAnswer',
    summary: 'The results of an action, target by target',
    answer: ActionAnswer,
    run: (context) => findAction(context, context.params['id'] ?? ''),
  }),
];
