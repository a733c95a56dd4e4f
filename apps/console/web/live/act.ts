import { useEffect, useState } from 'preact/hooks';
import type { ActionAnswer, ActionRequest } from '../../src/api/actions.schema.js';
import { type AskFailure, post, read, refusalFrom } from './ask.js';
import { listen } from './stream.js';

/** What became of an action, target by target. */
export type Acting = Readonly<{
  answer: ActionAnswer | undefined;
  refusal: AskFailure | undefined;
  busy: boolean;
  act: (request: ActionRequest) => void;
}>;

const isPending = (answer: ActionAnswer): boolean => answer.results.some(({ outcome }) => outcome === 'pending');

/** Results come over the stream; they are read too, so that none is missed. */
const AGAIN = 2_000;

export function useAction(): Acting {
  const [answer, setAnswer] = useState<ActionAnswer>();
  const [refusal, setRefusal] = useState<AskFailure>();
  const [busy, setBusy] = useState(false);
  const id = answer?.id;
  const open = answer !== undefined && isPending(answer);
  useEffect(() => {
    if (id === undefined || !open) return;
    const take = (one: ActionAnswer) => one.id === id && setAnswer(one);
    const timer = setInterval(
      () => void read<ActionAnswer>(`actions/${encodeURIComponent(id)}`).then(take, () => undefined),
      AGAIN,
    );
    const forget = listen((event) => {
      if (event.event === 'action') take(event.data);
    });
    return () => {
      clearInterval(timer);
      forget();
    };
  }, [id, open]);
  const act = (request: ActionRequest) => {
    setBusy(true);
    setRefusal(undefined);
    post<ActionAnswer>('actions', request, { 'idempotency-key': crypto.randomUUID() })
      .then(setAnswer, (error: unknown) => setRefusal(refusalFrom(error)))
      .finally(() => setBusy(false));
  };
  return { answer, refusal, busy, act };
}
