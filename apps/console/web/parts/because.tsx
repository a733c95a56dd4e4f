import type { Explanation } from '../../src/api/questions.schema.js';
import { CodeBlock } from './copy.js';
import { Section } from './page.js';
import { Standing, type StandingName } from './standing.js';
import { Ago } from './text.js';

type BecauseProps = {
  cause: string | undefined;
  standing: StandingName;
  because: readonly string[];
  since: string;
  /** The bundle that still runs. */
  stillRuns?: string | undefined;
};

/** The cause in one sentence, with its reasons, and the part that it leaves unchanged. */
export function Because({ cause, standing, because, since, stillRuns }: BecauseProps) {
  if (standing === 'well') {
    return (
      <p class="why well">
        <Standing of="well" glyphOnly /> <span class="lead">It is up to date with what it asks for.</span>
      </p>
    );
  }
  // The row has all of it in 200 characters; once the cluster has answered each sentence stands by itself.
  const [lead = cause ?? 'The hub has not found the cause yet.', ...behind] = because;
  return (
    <div class={`why ${standing}`}>
      <p class="why-cause">
        <Standing of={standing} glyphOnly />
        <span class="lead">{lead}</span>
        {since !== '' && (
          <span class="pale">
            for <Ago time={since} />
          </span>
        )}
      </p>
      {behind.length > 0 && (
        <ul class="why-because" aria-label="Because">
          {behind.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {stillRuns !== undefined && (
        <p class="why-runs">
          <span class="ink-well" aria-hidden="true">
            ✔
          </span>{' '}
          {stillRuns} still runs.
        </p>
      )}
    </div>
  );
}

export function Advice({ of }: { of: Explanation['advice'] }) {
  if (of.length === 0) return null;
  return (
    <Section title="What to do">
      <Steps of={of} />
    </Section>
  );
}

/** Each thing that a person can do, a command of it to be copied. */
export function Steps({ of }: { of: Explanation['advice'] }) {
  return (
    <ol class="advice">
      {of.map(({ text, command }) => (
        <li key={text + command}>
          <p>{text}</p>
          {command !== '' && <CodeBlock text={command} label="Command" />}
        </li>
      ))}
    </ol>
  );
}
