/**
 * MCP allows dots in tool names, but some model APIs do not, and their clients pass names on unchanged. For those
 * clients, tools are listed with `_` in place of anything but letters, digits, `_` and `-`.
 */
import type { Tool } from '../../gate/tools/connectors.ts';

export function toPlainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Finds the tool with a plain name; undefined if no tool or several tools match. */
export function findByPlainName(tools: readonly Tool[], name: string): Tool | undefined {
  const meant = tools.filter((tool) => toPlainName(tool.name) === name);
  return meant.length === 1 ? meant[0] : undefined;
}
