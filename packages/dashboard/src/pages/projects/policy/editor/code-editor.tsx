/** The policy as text. Only the policy page loads it: CodeMirror is as large as everything else together. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { LocatedFinding } from '../document/locate-findings.ts';
import type { TextRange } from '../document/locate-json.ts';

/** Where to put the cursor. A new object means a new jump, even to the same place. */
export interface Jump {
  range: TextRange;
}

interface CodeEditorProps {
  text: string;
  label: string;
  onChange(text: string): void;
  /** Findings for the text `findingsText`. They are hidden while the text differs. */
  findings: readonly LocatedFinding[];
  findingsText: string;
  isReadOnly: boolean;
  jump: Jump | null;
}

/** Marks a change that came from outside the editor. The editor does not report such a change. */
const fromOutside = Annotation.define<boolean>();

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--hot)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--ink-3)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const wavy = (colour: string) => ({
  // The library's default is an inline image, which the content security policy blocks.
  backgroundImage: 'none',
  textDecorationLine: 'underline',
  textDecorationStyle: 'wavy',
  textDecorationColor: colour,
  textDecorationSkipInk: 'none',
  textUnderlineOffset: '3px',
});

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--text-s)', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  // The frame around the editor shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { paddingBlock: 'var(--s3)', caretColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--ink-3)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--selected) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--selected)', color: 'var(--ink)' },
  '.cm-content ::selection': { backgroundColor: 'color-mix(in srgb, var(--focus) 35%, transparent)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--selected)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-lintRange-error': wavy('var(--bad)'),
  '.cm-lintRange-warning': wavy('var(--warn)'),
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    fontFamily: 'var(--sans)',
    maxWidth: '26rem',
  },
  '.cm-diagnostic': { padding: 'var(--s2) var(--s3)' },
});

/**
 * By default, the browser keeps the colours of replaced text in a style attribute. The content security policy blocks
 * that and reports a violation.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { state, composing } = view;
  const isTyped = event.inputType === 'insertText' && event.data !== null && !composing && !event.isComposing;
  if (!state.readOnly && (!isTyped || state.selection.main.empty)) return false;
  event.preventDefault();
  if (state.readOnly) return true;
  view.dispatch(
    state.update(state.replaceSelection(event.data ?? ''), { userEvent: 'input.type', scrollIntoView: true }),
  );
  return true;
}

export default function CodeEditor(props: CodeEditorProps) {
  const { text, label, findings, findingsText, isReadOnly, jump } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const mode = useRef(new Compartment());
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    // In a shadow root, the library uses constructed style sheets. In the document it would add a style element, which
    // the content security policy blocks.
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          lineNumbers(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSpecialChars(),
          history(),
          indentOnInput(),
          bracketMatching(),
          json(),
          syntaxHighlighting(colours),
          theme,
          EditorView.lineWrapping,
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false' }),
          mode.current.of(EditorState.readOnly.of(latest.current.isReadOnly)),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (!docChanged || transactions.some((one) => one.annotation(fromOutside))) return;
            latest.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, [label]);

  useEffect(() => {
    const { current } = view;
    if (!current || current.state.doc.toString() === text) return;
    const changes = { from: 0, to: current.state.doc.length, insert: text };
    current.dispatch({ changes, annotations: fromOutside.of(true) });
  }, [text]);

  useEffect(() => {
    view.current?.dispatch({ effects: mode.current.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly]);

  useEffect(() => {
    const { current } = view;
    if (!current || current.state.doc.toString() !== findingsText) return;
    const diagnostics = findings.map(({ range, severity, message }) => ({ ...range, severity, message }));
    current.dispatch(setDiagnostics(current.state, diagnostics));
  }, [findings, findingsText]);

  useEffect(() => {
    const { current } = view;
    if (!jump || !current) return;
    const end = current.state.doc.length;
    const selection = { anchor: Math.min(jump.range.from, end), head: Math.min(jump.range.to, end) };
    current.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: 'center' }) });
    current.focus();
  }, [jump]);

  return <div ref={host} className="policy-code" />;
}
