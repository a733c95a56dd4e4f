import { signal } from '@preact/signals';

/** The script that begins these pages. Another build has another name for it. */
const own = document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';

/** The script of the pages that the server has, if it is another than the one that runs; empty otherwise. */
export const otherBuild = signal('');

/** Takes the build that an answer names. An older server names none. */
export function noteBuild(named: string | null): void {
  if (named !== null && named !== '' && own !== '') otherBuild.value = named === own ? '' : named;
}

const PLACE = 'flotilla-loaded-for';

/** Loads the pages of another build, once for each build: a server that flaps must not reload a tab again. */
export function loadOtherBuild(): boolean {
  const build = otherBuild.value;
  if (build === '' || sessionStorage.getItem(PLACE) === build) return false;
  sessionStorage.setItem(PLACE, build);
  location.reload();
  return true;
}
