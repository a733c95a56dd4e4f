import { type Command, Option } from 'commander';
import { ExitCode, type Io } from '../io.js';
import {
  QUESTION_HELP,
  type QuestionOptions,
  readQuestion,
  withQuestionOptions,
} from '../resolution/question-options.js';

type Options = QuestionOptions & Readonly<{ output: 'text' | 'json' }>;

const HELP = `
KIND is subscription (sub) or clusterserviceversion (csv), NAME an object of the manifests, or a CSV that would be installed.
${QUESTION_HELP}
Exit code 0: it has, or gets, what it asks for; 1: it does not, and why.

Examples:
  flotilla explain subscription harbor --catalog community=./catalog -f namespace.yaml
  flotilla explain csv harbor.v1.0.0 --catalog community=./catalog -f namespace.yaml -o json
  kubectl get sub,csv,og -n team -o yaml | flotilla explain sub harbor --catalog community=registry.example/catalog:v1 -f -`;

/** `flotilla explain`: the one reason behind a Subscription or CSV; why it fails, or why nothing newer comes. */
export const explainCommand = (program: Command, io: Io): Command =>
  withQuestionOptions(program.command('explain').argument('<kind>').argument('<name>'))
    .description('tell why a Subscription or CSV is as it is: what it waits for, what stops it, and what to do')
    .addOption(new Option('-o, --output <format>', 'form of the answer').choices(['text', 'json']).default('text'))
    .addHelpText('after', HELP)
    .action((kind: string, name: string, options: Options) => explain(kind, name, options, io));

async function explain(kind: string, name: string, options: Options, io: Io): Promise<void> {
  const { explainAnswer, subjectKind } = await import('../resolution/explain-answer.js');
  const subject = subjectKind(kind);
  const { question, contents } = await readQuestion(options, io);
  const answer = explainAnswer({ kind: subject, name }, question, contents);
  for (const note of question.notes) io.err(`note: ${note}\n`);
  io.out(options.output === 'json' ? `${JSON.stringify(answer, undefined, 2)}\n` : `${answer.text}\n`);
  io.exit(answer.well ? ExitCode.done : ExitCode.no);
}
