/** A server made with the official SDK, which speaks both revisions over stdio. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { registerNotes } from './sdk-notes.ts';

serveStdio(() => registerNotes(new McpServer({ name: 'notes', version: '2' })));
