import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SearchAnswer } from '../../src/api/lists.schema.js';
import { read } from '../live/ask.js';

type Found = SearchAnswer['items'];

function useFound(words: string): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (words.trim() === '') return setFound(undefined);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      read<SearchAnswer>(`search?q=${encodeURIComponent(words.trim())}`, stop.signal).then(
        ({ items }) => setFound(items),
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

/** Finds clusters, packages, operators, plans and pages: a combobox with a list. */
export function Search() {
  const { route } = useLocation();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const found = useFound(words);
  const input = useRef<HTMLInputElement>(null);
  const open = found !== undefined;
  const close = () => {
    setWords('');
    setAt(0);
  };
  const go = (url: string) => {
    close();
    input.current?.blur();
    route(url);
  };
  const onKey = (event: KeyboardEvent) => {
    const last = (found?.length ?? 0) - 1;
    if (event.key === 'ArrowDown') setAt(Math.min(last, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else if (event.key === 'Enter') {
      const one = found?.[at];
      if (one !== undefined) go(one.url);
    } else if (event.key === 'Escape') {
      close();
      input.current?.blur();
    } else return;
    event.preventDefault();
  };
  return (
    <search class="search">
      <input
        ref={input}
        id="search"
        type="search"
        role="combobox"
        aria-label="Search clusters, packages, operators and plans"
        aria-expanded={open}
        aria-controls="search-found"
        aria-activedescendant={open && found.length > 0 ? `found-${at}` : undefined}
        autocomplete="off"
        placeholder="/ search"
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
        onBlur={() => setTimeout(close, 150)}
      />
      <div id="search-found" role="listbox" aria-label="Found" class="found" hidden={!open}>
        {found?.length === 0 && (
          <div role="option" aria-selected="false" aria-disabled="true" class="found-none pale" tabIndex={-1}>
            Nothing has this name.
          </div>
        )}
        {found?.map(({ kind, title, note, url }, index) => (
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
    </search>
  );
}
