import { useEffect, useReducer } from 'preact/hooks';
import { type Interruption, interruption, retryStream } from '../live/stream.js';
import { age, spanOf, timeOfDay } from '../live/times.js';
import { Icon } from '../parts/icon.js';

/** A shorter interruption, as of a restart behind a proxy, shows no bar. */
const SHORT_MS = 2_000;
const TICK_MS = 1_000;

/** The bar over all pages while the hub does not answer: begin, age of the content, and the next try. */
export function HubAway() {
  const away = interruption.value;
  return away === undefined ? null : <Bar of={away} />;
}

function Bar({ of: { since, nextTry } }: { of: Interruption }) {
  const [, force] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => force(undefined), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const now = Date.now();
  if (now - since < SHORT_MS) return null;
  const begin = new Date(since).toISOString();
  return (
    <div class="hub-away">
      <Icon of="away" />
      <p>
        <strong role="status">The hub has not answered since {timeOfDay(begin)}.</strong> What is shown is{' '}
        {age(begin, now)} old.{' '}
        <span class="next-try">{nextTry > now ? `Next try in ${spanOf((nextTry - now) / 1000)}.` : 'Trying now.'}</span>
      </p>
      <button type="button" onClick={retryStream}>
        Try now
      </button>
    </div>
  );
}
