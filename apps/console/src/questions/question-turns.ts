import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { RequestProblem } from '../api/problem.js';
import type { Person } from '../sign-in/person.js';
import type { ProvePerson } from '../sign-in/prove-person.js';

/** Questions under way: of one person, and of all. */
const AT_ONCE_OF_PERSON = 8;
const AT_ONCE = 64;

type QuestionTurnsOptions = Readonly<{
  asker: QuestionAsker;
  prove: ProvePerson;
  /** Records the seconds of an answer, by kind of question. */
  observe: (ask: ConsoleQuestion['ask'], seconds: number) => void;
  now: () => Date;
}>;

const tooMany = () =>
  new RequestProblem(
    429,
    'too-many-questions',
    'Too many questions to clusters are in progress.',
    'Wait for the answers of other pages.',
    { 'retry-after': '2' },
  );
const noAnswer = (): QuestionAnswer => ({
  because: 'away',
  message: 'no poller answered for this cluster within ten seconds',
});

/** Asks a question for one person. */
export type Ask = (question: ConsoleQuestion) => Promise<QuestionAnswer>;

/** Asks the pollers, within bounds for each person and for all. */
export class QuestionTurns {
  readonly #ofPerson = new Map<string, number>();
  #all = 0;

  constructor(private readonly options: QuestionTurnsOptions) {}

  /** When an answer is given. */
  now(): Date {
    return this.options.now();
  }

  /**
   * Runs one request of a person, with up to many questions. All sessions of a person count together: a
   * person must not take the turns of others by many sign-ins.
   *
   * @throws RequestProblem if too many are under way
   */
  async inTurn<T>({ by, name }: Pick<Person, 'by' | 'name'>, run: () => Promise<T>): Promise<T> {
    const person = JSON.stringify([by, name]);
    const own = this.#ofPerson.get(person) ?? 0;
    if (own >= AT_ONCE_OF_PERSON || this.#all >= AT_ONCE) throw tooMany();
    this.#ofPerson.set(person, own + 1);
    this.#all += 1;
    try {
      return await run();
    } finally {
      this.#all -= 1;
      const left = (this.#ofPerson.get(person) ?? 1) - 1;
      if (left > 0) this.#ofPerson.set(person, left);
      else this.#ofPerson.delete(person);
    }
  }

  /** Asks a question. `person`: undefined for an icon: it needs no proof. */
  async ask(question: ConsoleQuestion, person: Person | undefined): Promise<QuestionAnswer> {
    const { asker, observe, prove } = this.options;
    const proved = { reader: 'poller', verb: question.ask, subject: question } as const;
    const by = {
      session: person?.session ?? '',
      prove: async () => (person === undefined ? '' : prove(person, proved)),
    };
    const from = this.now().getTime();
    const answer = (await asker.ask(question, by)) ?? noAnswer();
    observe(question.ask, (this.now().getTime() - from) / 1_000);
    return answer;
  }
}
