import { useEffect, useState } from 'preact/hooks';
import { listen } from '../live/stream.js';
import { counted } from '../live/times.js';

/** Shortest time between two announcements: changes are summed up for people who listen to a page. */
const AT_MOST_EVERY = 10_000;

/** Says politely how much of the fleet has changed. */
export function Announcer() {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const operators = new Set<string>();
    const clusters = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const say = () => {
      timer = undefined;
      setSaid(`${counted(operators.size, 'operator')} changed in ${counted(clusters.size, 'cluster')}.`);
      operators.clear();
      clusters.clear();
    };
    const forget = listen((event) => {
      if (event.event !== 'rows') return;
      for (const { kind, cluster, id } of event.data.changed) {
        if (kind !== 'operator') continue;
        operators.add(`${cluster} ${id}`);
        clusters.add(String(cluster));
      }
      if (operators.size > 0) timer ??= setTimeout(say, AT_MOST_EVERY);
    });
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, []);
  return (
    <p class="hidden" role="status">
      {said}
    </p>
  );
}
