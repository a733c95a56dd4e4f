/** The namespace with the annotations that name the hub of a cluster. */
export const SYSTEM_NAMESPACE = 'kube-system';
/** Annotation of namespace kube-system: the instance of the hub that manages the cluster (decision 0509). */
export const INSTANCE_ANNOTATION = 'flotilla.dev/hub-instance';
/**
 * Annotation with which another instance asks if the named one still runs. Format: `INSTANCE TIME`, followed
 * by `answered` after the answer, and by `again` if an earlier question was answered.
 */
export const QUESTION_ANNOTATION = 'flotilla.dev/hub-asks';

/** Time for an answer. Without an answer within it an instance counts as gone. */
export const ANSWER_WITHIN_MS = 20_000;
/** Time for an instance that has answered before: it may be restarted, or cut off from the cluster. */
export const ANSWER_AGAIN_WITHIN_MS = 10 * 60_000;
/** Time until an answered instance asks again, since the other one may have ended. */
export const ASK_AGAIN_MS = 5 * 60_000;
/** Time for another question. Without one within it an instance counts as gone. */
export const TWIN_SEEN_MS = 3 * ASK_AGAIN_MS;
/** Time between reads until a question is written and answered. */
const SOON_MS = 3_000;

const ANSWERED = 'answered';
const AGAIN = 'again';

/** Annotations to be written to namespace kube-system; null removes one. */
export type OwnerMarks = Readonly<Record<string, string | null>>;

/** Another instance with the same identity. */
export type Twin = Readonly<{ instance: string; askedAt: Date }>;

type InstanceFacts = Readonly<{
  /** This instance. */
  instance: string;
  /** Annotations of namespace kube-system; the hub that they name has the identity of this one. */
  annotations: Readonly<Record<string, string>>;
  /** The time at which this process first read the current question. Default: the time in the question. */
  questionSeenAt?: Date | undefined;
  now: Date;
}>;

/**
 * Says if this one of several hubs with one identity manages a cluster. `marks`: annotations to write,
 * undefined if none. If `isAwaited`, the other instance, or this one, waits for them.
 */
export type InstanceStatus = Readonly<{ marks?: OwnerMarks; isAwaited?: boolean }> &
  (
    | Readonly<{ acts: true; twin?: Twin }>
    /**
     * `answeredAt`: time of the other instance's answer that it is active. Undefined while it may still
     * answer.
     */
    | Readonly<{ acts: false; holder: string; answeredAt?: Date; againAfterMs: number }>
  );

/**
 * Compares instances. The instance that the cluster names acts. Another instance asks it through the cluster,
 * and takes its place only if no answer comes. An instance that lost its Redis therefore never blocks its
 * successor.
 */
export function instanceStatus(facts: InstanceFacts): InstanceStatus {
  const { instance, annotations } = facts;
  const holder = annotations[INSTANCE_ANNOTATION] ?? '';
  const question = questionIn(annotations[QUESTION_ANNOTATION]);
  if (holder === '') return { acts: true, marks: { [INSTANCE_ANNOTATION]: instance } };
  return holder === instance ? asHolder(instance, question) : asOther(facts, holder, question);
}

function asOther(facts: InstanceFacts, holder: string, question: Question | undefined): InstanceStatus {
  const { instance, now, questionSeenAt } = facts;
  if (question === undefined) return ask(facts, holder, false);
  const isOwn = question.instance === instance;
  // The clock of another hub may be wrong. An answer to it is one to all: otherwise two would ask in turns
  // forever.
  const since = isOwn ? question.askedAt : (questionSeenAt ?? question.askedAt);
  const ageMs = now.getTime() - since.getTime();
  if (ageMs < 0) return ask(facts, holder, false);
  if (question.state === ANSWERED) {
    if (ageMs >= ASK_AGAIN_MS) return ask(facts, holder, isOwn);
    return { acts: false, holder, answeredAt: question.askedAt, againAfterMs: ASK_AGAIN_MS - ageMs };
  }
  const isAgain = question.state === AGAIN;
  const leftMs = (isAgain ? ANSWER_AGAIN_WITHIN_MS : ANSWER_WITHIN_MS) - ageMs;
  if (leftMs > 0) return { acts: false, holder, againAfterMs: isAgain ? leftMs : Math.min(leftMs, SOON_MS) };
  if (!isOwn || leftMs <= -ASK_AGAIN_MS) return ask(facts, holder, false);
  // It acts once that is written: by then every process of the other one can see it.
  const marks = { [INSTANCE_ANNOTATION]: instance, [QUESTION_ANNOTATION]: null };
  return { acts: false, holder, marks, isAwaited: true, againAfterMs: SOON_MS };
}

function ask({ instance, now }: InstanceFacts, holder: string, isAgain: boolean): InstanceStatus {
  const question = `${instance} ${now.toISOString()}${isAgain ? ` ${AGAIN}` : ''}`;
  return { acts: false, holder, marks: { [QUESTION_ANNOTATION]: question }, isAwaited: true, againAfterMs: SOON_MS };
}

function asHolder(instance: string, question: Question | undefined): InstanceStatus {
  if (question === undefined || question.instance === instance) return { acts: true };
  const { askedAt, state } = question;
  const twin = { instance: question.instance, askedAt };
  if (state === ANSWERED) return { acts: true, twin };
  const answer = `${question.instance} ${askedAt.toISOString()} ${ANSWERED}`;
  return { acts: true, twin, marks: { [QUESTION_ANNOTATION]: answer }, isAwaited: true };
}

type Question = Readonly<{ instance: string; askedAt: Date; state: string }>;

/** Reads a question. Returns undefined if no instance asks, or the text is no question. */
function questionIn(text = ''): Question | undefined {
  const [instance = '', time = '', state = ''] = text.split(' ');
  const askedAt = new Date(time);
  if (instance === '' || Number.isNaN(askedAt.getTime())) return undefined;
  return { instance, askedAt, state };
}
