import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RichText } from '../../src/api/catalogs.schema.js';
import { age, fullTime } from '../live/times.js';

const children = (parts: readonly RichText[]) => parts.map((part, index) => <Part key={index} of={part} />);

function Heading({ level, children: content }: { level: number; children: ComponentChildren }) {
  return level <= 2 ? <h3>{content}</h3> : <h4>{content}</h4>;
}

function Part({ of }: { of: RichText }): ComponentChildren {
  switch (of.type) {
    case 'text':
      return of.text;
    case 'code':
      return <code>{of.text}</code>;
    case 'block':
      return <pre>{of.text}</pre>;
    case 'link':
      return (
        <>
          <a href={of.url} rel="noopener noreferrer" target="_blank">
            {children(of.children)}
          </a>{' '}
          <span class="pale">({of.host})</span>
        </>
      );
    case 'heading':
      return <Heading level={of.level}>{children(of.children)}</Heading>;
    default:
      return <Block type={of.type}>{children(of.children)}</Block>;
  }
}

function Block({ type, children: content }: { type: string; children: ComponentChildren }) {
  switch (type) {
    case 'emphasis':
      return <em>{content}</em>;
    case 'strong':
      return <strong>{content}</strong>;
    case 'list':
      return <ul>{content}</ul>;
    case 'item':
      return <li>{content}</li>;
    case 'table':
      return (
        <table>
          <tbody>{content}</tbody>
        </table>
      );
    case 'row':
      return <tr>{content}</tr>;
    case 'cell':
      return <td>{content}</td>;
    case 'quote':
      return <blockquote>{content}</blockquote>;
    default:
      return <p>{content}</p>;
  }
}

/** A text of a catalog, from the server's tree: never HTML. */
export const Rich = ({ of }: { of: readonly RichText[] }) => <div class="rich">{children(of)}</div>;

/** How long ago, with the whole time on hovering. */
export const Ago = ({ time }: { time: string }) => (
  <time dateTime={time} title={fullTime(time)}>
    {age(time)}
  </time>
);

/** When a cluster last answered. Its row is written when something changes: while it is reached, that is now. */
export const LastSeen = ({ of: { reach, lastSeen } }: { of: Readonly<{ reach: string; lastSeen: string }> }) =>
  reach === 'fresh' ? <span title="All its watches stand.">now</span> : <Ago time={lastSeen} />;

/** The icon of a package, or its first letter. */
export function PackageIcon({ icon, name, large }: { icon: string; name: string; large?: boolean }) {
  const size = large ? 'icon large' : 'icon';
  const [failed, setFailed] = useState('');
  if (icon === '' || failed === icon) {
    return (
      <span class={`${size} letter`} aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
    );
  }
  return <img class={size} src={icon} alt="" loading="lazy" onError={() => setFailed(icon)} />;
}

export const shortDigest = (digest: string): string => digest.replace(/^(sha256:)?([0-9a-f]{12}).*$/, '$2');

/** Characters at the end of a long name that are never cut: they distinguish the clusters of one cloud. */
const END = 14;
const LONG = 28;

/** A name in one line. A long name is cut in its middle. */
export function Name({ of }: { of: string }) {
  // A character may take two units of a text.
  const letters = Array.from(of);
  if (letters.length <= LONG) {
    return (
      <span class="cut" title={of}>
        {of}
      </span>
    );
  }
  return (
    <span class="cut middle" title={of}>
      <span>{letters.slice(0, -END).join('')}</span>
      <span>{letters.slice(-END).join('')}</span>
    </span>
  );
}
