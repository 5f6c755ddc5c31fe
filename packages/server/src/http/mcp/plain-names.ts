/**
 * MCP lets names of tools have dots; the interfaces of some models do not, and their clients pass names on as they are. For
 * those the tools are listed with `_` in place of what is no letter or digit.
 */
import type { Tool } from '../../gate/tools/connectors.ts';

export function toPlainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** The tool that is meant by a plain name; undefined when it is none's, or that of several. */
export function findByPlainName(tools: readonly Tool[], name: string): Tool | undefined {
  const meant = tools.filter((tool) => toPlainName(tool.name) === name);
  return meant.length === 1 ? meant[0] : undefined;
}
