import type { Connectors, Tool, ToolCall, ToolResult } from '../../src/gate/tools/connectors.ts';
import { PendingTools } from './pending-tools.ts';

const NOT_SENT: ToolResult = { kind: 'not_sent', message: 'The connection failed (ECONNREFUSED).' };

/** A connector with the tool `lab.work`, whose first runs send nothing. */
export class FickleTools implements Connectors {
  tool: Tool;
  /** Every call that was sent; there must never be more than one for an approval. */
  readonly sent: ToolCall[] = [];
  runs = 0;
  /** How many of the next runs send nothing. */
  refusals: number;
  /** The result of a call that is sent. */
  answer: () => Promise<ToolResult> = async () => ({ kind: 'succeeded', result: { done: true } });

  constructor(refusals: number) {
    const { tool } = new PendingTools();
    if (!tool) throw new Error('there is a tool');
    this.tool = tool;
    this.refusals = refusals;
  }

  list = async () => [this.tool];

  find = async (_projectId: string, name: string) => (this.tool.name === name ? this.tool : undefined);

  run = async (call: ToolCall): Promise<ToolResult> => {
    this.runs += 1;
    if (this.refusals > 0) {
      this.refusals -= 1;
      return NOT_SENT;
    }
    this.sent.push(call);
    return this.answer();
  };
}
