import type { Explanation } from '../../src/api/questions.schema.js';
import { CodeBlock } from './copy.js';
import { Icon } from './icon.js';
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
  /** The first thing to do, as the row knows it, until the cluster has answered. */
  todo?: string | undefined;
  advice?: Explanation['advice'] | undefined;
  /** The place of the advice, if several objects have the cause. */
  where?: string;
};

/** The cause in one sentence, with the part that it leaves unchanged, then what to do, then the reasons. */
export function Because({ cause, standing, because, since, stillRuns, todo, advice, where }: BecauseProps) {
  if (standing === 'well') {
    return (
      <>
        <p class="why well">
          <Standing of="well" glyphOnly /> <span class="lead">It is up to date with what it asks for.</span>
        </p>
        <Advice of={advice ?? []} />
      </>
    );
  }
  // The row has all of it in 200 characters; once the cluster has answered each sentence stands by itself.
  // The first one may be a symptom, so the second one stands next to it.
  const [lead = cause ?? 'The hub has not found the cause yet.', next, ...behind] = because;
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
      {next !== undefined && <p class="why-next">{next}</p>}
      {stillRuns !== undefined && (
        <p class="why-runs">
          <span class="ink-well">
            <Icon of="well" />
          </span>{' '}
          {stillRuns} still runs.
        </p>
      )}
      {advice === undefined && todo !== undefined && (
        <p class="todo">
          <Icon of="right" /> {todo}
        </p>
      )}
      {advice !== undefined && advice.length > 0 && (
        <section class="why-todo" aria-label="What to do">
          <p class="why-title">What to do{where}</p>
          <Steps of={advice} />
        </section>
      )}
      {behind.length > 0 && <p class="why-title">Because</p>}
      {behind.length > 0 && (
        <ul class="why-because" aria-label="Because">
          {behind.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
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
function Steps({ of }: { of: Explanation['advice'] }) {
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
