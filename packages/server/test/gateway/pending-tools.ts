import type { JsonObject } from '@permitry/protocol';
import type { Connectors, Tool, ToolCall, ToolResult } from '../../src/gate/tools/connectors.ts';

/** A connector with one tool, `lab.work`, whose runs end when and how the test says. */
export class PendingTools implements Connectors {
  tool: Tool | undefined = {
    name: 'lab.work',
    title: 'Work',
    description: 'Works.',
    connector: 'lab',
    riskTier: 'low',
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    outputSchema: null,
    annotations: {},
    resultForm: 'json',
  };
  /** Every run so far. */
  readonly runs: ToolCall[] = [];
  #release = Promise.withResolvers<ToolResult>();
  #begun = Promise.withResolvers<void>();

  /** Resolves when the first run has begun. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  end(result: ToolResult = { kind: 'succeeded', result: { done: true } }): void {
    this.#release.resolve(result);
  }

  succeed(result: JsonObject): void {
    this.end({ kind: 'succeeded', result });
  }

  throw(error: Error): void {
    this.#release.reject(error);
  }

  change(changes: Partial<Tool>): void {
    if (this.tool) this.tool = { ...this.tool, ...changes };
  }

  list = async () => (this.tool ? [this.tool] : []);

  find = async (_projectId: string, name: string) => (this.tool?.name === name ? this.tool : undefined);

  run = (call: ToolCall) => {
    this.runs.push(call);
    this.#begun.resolve();
    return this.#release.promise;
  };
}
