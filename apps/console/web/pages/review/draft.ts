import { useEffect, useState } from 'preact/hooks';
import type { ReviewAnswer } from '../../../src/api/questions.schema.js';
import { addressOf } from './plan-address.js';

/** Decisions of a person in a review that are not sent yet. */
type Draft = Readonly<{
  comment: string;
  /** Addresses of plans; absent: nothing was ticked or unticked yet. */
  chosen?: readonly string[];
}>;

type ReviewDraft = Readonly<{
  comment: string;
  chosen: ReadonlySet<string>;
  write: (change: Readonly<{ comment: string } | { chosen: ReadonlySet<string> }>) => void;
}>;

const keyOf = (hash: string): string => `flotilla-review ${hash}`;

function kept(hash: string): Draft {
  return { comment: '', ...(JSON.parse(sessionStorage.getItem(keyOf(hash)) ?? '{}') as Partial<Draft>) };
}

/**
 * Keeps comment and ticks of a review for this tab alone, until it is sent. A reload must not tick a cluster
 * again that a person has left out. Groups that were not opened are not ticked: at first, only the first
 * group is.
 */
export function useDraft(of: ReviewAnswer, isSent: boolean): ReviewDraft {
  const [draft, setDraft] = useState<Draft>(() => kept(of.hash));
  useEffect(() => {
    if (isSent) sessionStorage.removeItem(keyOf(of.hash));
  }, [isSent, of.hash]);
  const may = (one: ReviewAnswer['groups'][number] | undefined) =>
    (one?.members ?? []).filter(({ mayApprove }) => mayApprove).map(addressOf);
  const all = new Set(of.groups.flatMap(may));
  const chosen = new Set(draft.chosen === undefined ? may(of.groups[0]) : draft.chosen.filter((one) => all.has(one)));
  const write: ReviewDraft['write'] = (change) => {
    const next = { ...draft, ...('chosen' in change ? { chosen: [...change.chosen] } : change) };
    setDraft(next);
    sessionStorage.setItem(keyOf(of.hash), JSON.stringify(next));
  };
  return { comment: draft.comment, chosen, write };
}
