import { useRef, useState } from 'preact/hooks';
import type { RolloutDecisionAnswer, RolloutDecisionRequest } from '../../src/api/decisions.schema.js';
import { rowPaths } from './address.js';
import { type AskFailure, post, refusalFrom } from './ask.js';

/** A decision about a rollout on its way, and the end of the last one. */
export type Deciding = Readonly<{
  answer: (RolloutDecisionAnswer & Pick<RolloutDecisionRequest, 'action'>) | undefined;
  refusal: AskFailure | undefined;
  busy: boolean;
  decide: (decision: RolloutDecisionRequest) => void;
}>;

/** `renew`: reads the rollout again after a decision. */
export function useDecision(id: string, renew: () => void): Deciding {
  const [answer, setAnswer] = useState<Deciding['answer']>();
  const [refusal, setRefusal] = useState<AskFailure>();
  const [busy, setBusy] = useState(false);
  /**
   * The keys of decisions without an answer. The same decision again has the same key, and is made once.
   * After an answer to any decision it is another one.
   */
  const keys = useRef(new Map<string, string>());
  const send = async (decision: RolloutDecisionRequest) => {
    const text = JSON.stringify(decision);
    const key = keys.current.get(text) ?? crypto.randomUUID();
    keys.current.set(text, key);
    try {
      const path = `${rowPaths.rollout(id)}/decisions`;
      const end = await post<RolloutDecisionAnswer>(path, decision, { 'idempotency-key': key });
      if (end.outcome !== 'unanswered' || end.decision !== '') keys.current.clear();
      setAnswer({ ...end, action: decision.action });
    } catch (error) {
      setRefusal(refusalFrom(error));
    }
    renew();
  };
  const decide = (decision: RolloutDecisionRequest) => {
    setBusy(true);
    setRefusal(undefined);
    setAnswer(undefined);
    void send(decision).finally(() => setBusy(false));
  };
  return { answer, refusal, busy, decide };
}
