import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SearchAnswer } from '../../src/api/lists.schema.js';
import { read } from '../live/ask.js';

/** The results for these words; they stay visible until the next words have an answer. */
type Found = Readonly<{ of: string; items: SearchAnswer['items'] }>;

const LEAVES_AFTER = 150;

function useFound(words: string): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (words.trim() === '') return setFound(undefined);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      read<SearchAnswer>(`search?q=${encodeURIComponent(words.trim())}`, stop.signal).then(
        // While a page opens, requests are shared and not aborted: this answer may come after newer words.
        ({ items }) => stop.signal.aborted || setFound({ of: words, items }),
        () => undefined,
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [words]);
  return found;
}

/** Keeps the words of a search, their results, and the result that Enter opens. */
function useSearch(input: RefObject<HTMLInputElement>) {
  const { route } = useLocation();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const found = useFound(words);
  const leaving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** Enter was pressed before these words had an answer. */
  const entered = useRef('');
  const items = found?.items ?? [];
  const stay = () => clearTimeout(leaving.current);
  const write = (text: string) => {
    entered.current = '';
    setWords(text);
    setAt(0);
  };
  const close = () => {
    stay();
    write('');
  };
  const leave = () => {
    leaving.current = setTimeout(close, LEAVES_AFTER);
  };
  const enter = () => {
    entered.current = found?.of === words ? '' : words;
    const one = items[at];
    if (entered.current !== '' || one === undefined) return;
    close();
    input.current?.blur();
    route(one.url);
  };
  useEffect(() => {
    if (entered.current !== '' && entered.current === found?.of) enter();
  }, [found]);
  const onKey = (event: KeyboardEvent) => {
    const last = items.length - 1;
    if (event.key === 'ArrowDown') setAt(Math.min(last, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else if (event.key === 'Enter') enter();
    else if (event.key === 'Escape') {
      close();
      input.current?.blur();
    } else return;
    event.preventDefault();
  };
  return { words, at, found, write, close, stay, leave, onKey };
}

/** Finds clusters, packages, operators, plans and pages: a combobox with a list. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const { words, at, found, write, close, stay, leave, onKey } = useSearch(input);
  const isFound = found !== undefined && found.items.length > 0;
  return (
    <search class="search">
      <input
        ref={input}
        id="search"
        type="search"
        role="combobox"
        aria-label="Search clusters, packages, operators and plans"
        aria-expanded={found !== undefined}
        aria-controls="search-found"
        aria-activedescendant={isFound ? `found-${at}` : undefined}
        autocomplete="off"
        placeholder="/ search"
        value={words}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKey}
        onFocus={stay}
        // A click on a result takes the focus first.
        onBlur={leave}
      />
      <FoundItems items={found?.items} at={at} close={close} />
    </search>
  );
}

type FoundProps = Readonly<{ items: Found['items'] | undefined; at: number; close: () => void }>;

/** The list below the words; hidden until they have an answer. */
const FoundItems = ({ items, at, close }: FoundProps) => (
  <div id="search-found" role="listbox" aria-label="Found" class="found" hidden={items === undefined}>
    {items?.length === 0 && (
      <div role="option" aria-selected="false" aria-disabled="true" class="found-none pale" tabIndex={-1}>
        Nothing has this name.
      </div>
    )}
    {items?.map(({ kind, title, note, url }, index) => (
      <a
        key={url}
        id={`found-${index}`}
        role="option"
        tabIndex={-1}
        aria-selected={index === at}
        href={url}
        onClick={close}
      >
        <span class="found-kind">{kind}</span>
        <span class="found-title">{title}</span>
        <span class="pale found-note">{note}</span>
      </a>
    ))}
  </div>
);
