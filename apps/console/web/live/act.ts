import { useEffect, useState } from 'preact/hooks';
import type { ActionAnswer, ActionRequest, ActionResult } from '../../src/api/actions.schema.js';
import { actionBatches } from './action-batches.js';
import { TOO_MANY } from './all-rows.js';
import { type AskFailure, post, RequestRefused, read, refusalFrom } from './ask.js';
import { listen } from './stream.js';

/** The results of an action, target by target; several requests of a large action count as one. */
export type Acting = Readonly<{
  answer: ActionAnswer | undefined;
  refusal: AskFailure | undefined;
  busy: boolean;
  act: (...requests: readonly ActionRequest[]) => void;
}>;

const isPending = (answer: ActionAnswer): boolean => answer.results.some(({ outcome }) => outcome === 'pending');

/** Results come over the stream; they are read too, so that none is missed. */
const AGAIN = 2_000;

/** One request; a console that wants a pause gets it, and the key keeps a second try from doing it twice. */
async function sendBatch(request: ActionRequest): Promise<ActionAnswer> {
  const key = crypto.randomUUID();
  for (;;) {
    try {
      return await post<ActionAnswer>('actions', request, { 'idempotency-key': key });
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.refusal.status !== TOO_MANY) throw error;
    }
  }
}

/** Targets that were not sent, because a request before theirs was refused. */
const unsent = (requests: readonly ActionRequest[], { detail }: AskFailure): ActionResult[] =>
  requests.flatMap(({ targets }) => targets.map((target) => ({ ...target, outcome: 'refused', message: detail })));

export function useAction(): Acting {
  const [answers, setAnswers] = useState<readonly ActionAnswer[]>([]);
  const [left, setLeft] = useState<readonly ActionResult[]>([]);
  const [refusal, setRefusal] = useState<AskFailure>();
  const [busy, setBusy] = useState(false);
  const open = answers
    .filter(isPending)
    .map(({ id }) => id)
    .join();
  useEffect(() => {
    if (open === '') return;
    const take = (news: ActionAnswer) => setAnswers((all) => all.map((one) => (one.id === news.id ? news : one)));
    const ask = (id: string) => read<ActionAnswer>(`actions/${encodeURIComponent(id)}`).then(take, () => undefined);
    const timer = setInterval(() => void Promise.all(open.split(',').map(ask)), AGAIN);
    const forget = listen((event) => {
      if (event.event === 'action') take(event.data);
    });
    return () => {
      clearInterval(timer);
      forget();
    };
  }, [open]);
  const send = async (requests: readonly ActionRequest[]) => {
    for (const [at, request] of requests.entries()) {
      try {
        const answer = await sendBatch(request);
        setAnswers((all) => [...all, answer]);
      } catch (error) {
        const failure = refusalFrom(error);
        // Requests sent before continue, and are shown with those that were not sent.
        if (at > 0) setLeft(unsent(requests.slice(at), failure));
        else setRefusal(failure);
        return;
      }
    }
  };
  const act = (...requests: readonly ActionRequest[]) => {
    setBusy(true);
    setRefusal(undefined);
    void send(requests.flatMap(actionBatches)).finally(() => setBusy(false));
  };
  const [first] = answers;
  const answer = first && { ...first, results: [...answers.flatMap(({ results }) => results), ...left] };
  return { answer, refusal, busy, act };
}
