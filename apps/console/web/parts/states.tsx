import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AskFailure } from '../live/ask.js';
import type { Loaded } from '../live/loaded.js';
import { timeOfDay } from '../live/times.js';
import { Icon } from './icon.js';

/** Grey bars, only after 200 ms: a fast answer shows no flicker. */
export function Bones({ lines = 6 }: { lines?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return <div class="bones" aria-busy="true" />;
  return (
    <div class="bones" aria-busy="true">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class={`bone bone-${line % 3}`} />
      ))}
    </div>
  );
}

/** Explains that there is nothing, and names the next step. */
export function Empty({ children, title }: { children?: ComponentChildren; title: string }) {
  return (
    <div class="empty">
      <p class="lead">{title}</p>
      {children}
    </div>
  );
}

/** Shows the failure and its begin; earlier content stays below it. */
export function Trouble({
  refusal,
  since,
  renew,
}: {
  refusal: AskFailure;
  since: Date | undefined;
  renew?: () => void;
}) {
  return (
    <div class="trouble" role="status">
      <Icon of="warning" />
      <p>
        {refusal.detail} {refusal.todo}
        {since && <span class="pale"> Since {timeOfDay(since.toISOString())}; retried automatically.</span>}
      </p>
      {renew && (
        <button type="button" onClick={renew}>
          Try now
        </button>
      )}
    </div>
  );
}

/** Shows the states of an answer, around the view of its content. */
export function Answered<T>({
  of,
  children,
  lines,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
  lines?: number;
}) {
  const { data, refusal, failingSince, renew } = of;
  return (
    <>
      {refusal && <Trouble refusal={refusal} since={failingSince} renew={renew} />}
      {data === undefined ? !refusal && <Bones lines={lines ?? 6} /> : children(data)}
    </>
  );
}
