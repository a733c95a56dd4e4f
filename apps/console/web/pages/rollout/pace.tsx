import type { RolloutPace } from '../../../src/api/lists.schema.js';
import { count, counted, spanOf } from '../../live/times.js';

/** How fast it went in the last hour, as bars of five minutes and in words. */
export function Pace({ of, ended }: { of: RolloutPace; ended: boolean }) {
  const most = Math.max(1, ...of.parts);
  const time = of.minutes >= 60 ? 'hour' : of.minutes === 1 ? 'minute' : counted(of.minutes, 'minute');
  const words = `${of.clusters === 0 ? 'No cluster' : counted(of.clusters, 'cluster')} upgraded in the ${ended ? 'last' : 'past'} ${time}`;
  return (
    <div class="pace">
      {of.clusters > 0 && (
        <span class="pace-bars" role="img" aria-label={`In each five minutes: ${of.parts.map(count).join(', ')}`}>
          {of.parts.map((part, index) => (
            <span key={index} class={part === 0 ? 'none' : ''} style={{ height: `${(part / most) * 100}%` }} />
          ))}
        </span>
      )}
      <p>
        {words}
        {ended ? ' before its end' : ''}.
        {of.left !== undefined && of.leftMinutes !== undefined && (
          <span class="pale">
            {' '}
            At this pace the {count(of.left)} that {of.left === 1 ? 'is' : 'are'} left{' '}
            {of.left === 1 ? 'takes' : 'take'} about {spanOf(of.leftMinutes * 60)}.
          </span>
        )}
      </p>
    </div>
  );
}
