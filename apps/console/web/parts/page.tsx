import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { live } from '../live/stream.js';
import { timeWithSeconds } from '../live/times.js';
import { visibleText } from './visible-text.js';

/** True if a page was shown before. */
let hasPage = false;

/** A page with one `h1`, focused when a person comes to the page, and the title of the tab. */
export function Page(props: {
  title: string;
  /** Replaces the title, if more must be shown. */
  heading?: ComponentChildren;
  above?: ComponentChildren;
  note?: ComponentChildren;
  asOf?: string | undefined;
  class?: string;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = visibleText(`${props.title} · Flotilla`);
  }, [props.title]);
  // Before the page is painted: a key that is pressed as soon as it is there must not lose the focus again.
  useLayoutEffect(() => {
    // A page that is loaded again begins at its top, at the link over the navigation. A person who is typing
    // already, as in the search, keeps the focus.
    const isTyping = document.activeElement instanceof HTMLInputElement;
    if (hasPage && !isTyping) heading.current?.focus({ preventScroll: true });
    hasPage = true;
  }, []);
  return (
    <div class={`page ${props.class ?? ''}`}>
      {props.above && (
        <nav class="crumbs" aria-label="Where this is">
          {props.above}
        </nav>
      )}
      <header class="page-head">
        <h1 tabIndex={-1} ref={heading}>
          {props.heading ?? props.title}
        </h1>
        {props.note && <div class="page-note">{props.note}</div>}
        <LiveMark asOf={props.asOf} />
      </header>
      {props.children}
    </div>
  );
}

const WORDS = { live: 'live', connecting: 'connecting', broken: 'not live' };

/** Shows if changes arrive by themselves, and the time when the page was complete. */
function LiveMark({ asOf }: { asOf: string | undefined }) {
  return (
    <span class={`live-mark ${live.value}`}>
      <span class="live-dot" aria-hidden="true" />
      {WORDS[live.value]}
      {asOf && <span> · as of {timeWithSeconds(asOf)}</span>}
    </span>
  );
}

export function Section(props: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    <section class={`section ${props.class ?? ''}`} aria-label={props.title}>
      <header class="section-head">
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}
