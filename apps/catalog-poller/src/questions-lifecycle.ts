import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ConsoleQuestions } from '#lifecycle/fleet/console/console-questions';
import { Shutdown } from '#platform/service/shutdown';

/** Answers questions of the console as long as the service runs. */
@Injectable()
export class QuestionsLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly questions: ConsoleQuestions,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.questions.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(() => this.questions.stop());
  }
}
