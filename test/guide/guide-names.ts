/** Names of InstallPlans: they hold a hash of images, and so differ from one registry to the next. */
const PLAN_NAME = /install-[0-9a-f]{12}/g;
const AGE = /(?<![\w.-])(?:\d+[dhms])+(?![\w-])/g;

/** Names of the page's plans in this run, learnt from the output of commands. */
export class GuideNames {
  readonly #here = new Map<string, string>();

  /** The text with the names of here, as far as they are known. */
  toHere(text: string): string {
    return text.replaceAll(PLAN_NAME, (name) => this.#here.get(name) ?? name);
  }

  /**
   * Returns the output with the names of the page. The first unknown plan is the next one that the page
   * names.
   */
  toPage(printed: string, expected: readonly string[]): string[] {
    const known = new Set(this.#here.values());
    const wanted = namesIn(expected.join('\n')).filter((name) => !this.#here.has(name));
    const met = namesIn(printed).filter((name) => !known.has(name));
    const learnt = new Map(this.#here);
    for (const [index, name] of wanted.entries()) {
      const here = met[index];
      if (here !== undefined) learnt.set(name, here);
    }
    const page = new Map([...learnt].map(([name, here]) => [here, name]));
    return comparable(printed.replaceAll(PLAN_NAME, (name) => page.get(name) ?? name).split('\n'));
  }

  /** Remembers the names of {@link toPage}, once the output equals the page. */
  learn(printed: string, expected: readonly string[]): void {
    const known = new Set(this.#here.values());
    const met = namesIn(printed).filter((name) => !known.has(name));
    for (const name of namesIn(expected.join('\n')).filter((one) => !this.#here.has(one))) {
      const here = met.shift();
      if (here !== undefined) this.#here.set(name, here);
    }
  }
}

/** Lines without ages, without empty ones and with single spaces: columns move with the longest name. */
export const comparable = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll(AGE, '<age>').replaceAll(/\s+/g, ' ').trim()).filter((line) => line !== '');

const namesIn = (text: string): string[] => [...new Set(text.match(PLAN_NAME) ?? [])];
