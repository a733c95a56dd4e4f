import type { ComponentType } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { pauseBefore, read } from '../live/ask.js';
import { loadOtherBuild } from '../live/build.js';
import { Bones } from '../parts/states.js';
import { NotLoaded } from './failed.js';

type PageModule = Readonly<{ default: ComponentType }>;

/** Tries of the browser's own loader before the whole tab is offered to be loaded again. */
const TRIES_BEFORE_RELOAD = 2;

/** Asks the server anything: the answer names its build. */
const isReached = (): Promise<boolean> =>
  read('me').then(
    () => true,
    () => false,
  );

/**
 * Returns a page that is loaded when it is opened first. Until then nothing else stands in its place. A load
 * that failed is tried again, after pauses that grow and when the network is back.
 */
export function lazyPage(load: () => Promise<PageModule>): ComponentType {
  let known: ComponentType | undefined;
  return function LazyPage() {
    const [Loaded, setLoaded] = useState<{ page: ComponentType } | undefined>(known && { page: known });
    const [failing, setFailing] = useState<Readonly<{ since: Date; needsReload: boolean }>>();
    const [turn, setTurn] = useState(0);
    // The load does not wait for a frame of the browser.
    useLayoutEffect(() => {
      if (Loaded !== undefined) return;
      let isLeft = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const again = () => setTurn((before) => before + 1);
      const fail = async () => {
        const reached = await isReached();
        if (isLeft || (reached && loadOtherBuild())) return;
        const needsReload = reached && turn >= TRIES_BEFORE_RELOAD;
        setFailing((before) => ({ since: before?.since ?? new Date(), needsReload }));
        timer = setTimeout(again, pauseBefore(turn));
      };
      load().then(
        (module) => {
          known = module.default;
          if (!isLeft) setLoaded({ page: module.default });
        },
        () => isLeft || void fail(),
      );
      addEventListener('online', again);
      return () => {
        isLeft = true;
        clearTimeout(timer);
        removeEventListener('online', again);
      };
    }, [turn]);
    if (Loaded !== undefined) return <Loaded.page />;
    if (failing === undefined) return <Bones />;
    return <NotLoaded {...failing} renew={() => setTurn((before) => before + 1)} />;
  };
}
