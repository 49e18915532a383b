/** Reads the documents of the repository, with their links, headings and fenced blocks. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

export const PROJECT = new URL('../../', import.meta.url).pathname;

export interface Block {
  language: string;
  /** Whether the block shows the reply to the command before it: its language is followed by `reply`. */
  isReply: boolean;
  text: string;
  line: number;
}

export interface Document {
  path: string;
  /** The text without fenced blocks. */
  prose: string;
  blocks: Block[];
}

const FENCE = /^```(\w*)( reply)?\n([\s\S]*?)^```$/gm;

export async function readDocuments(): Promise<Document[]> {
  const paths: string[] = [];
  for await (const path of glob(['*.md', 'docs/**/*.md'], { cwd: PROJECT })) paths.push(path);
  return paths.sort().map(readDocument);
}

export function readDocument(path: string): Document {
  const text = readFileSync(join(PROJECT, path), 'utf8');
  const lineOf = (index: number) => text.slice(0, index).split('\n').length;
  const blocks = [...text.matchAll(FENCE)].map(({ 1: language = '', 2: reply, 3: content = '', index }) => ({
    ...{ language, isReply: reply !== undefined, text: content },
    line: lineOf(index),
  }));
  return { path, prose: text.replace(FENCE, ''), blocks };
}

/** Returns the targets of links and images inside the repository. */
export function relativeLinks({ prose }: Document): string[] {
  const withoutCode = prose.replace(/`[^`\n]*`/g, '');
  return [...withoutCode.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Resolves a relative link to a path from the root of the project, and an anchor. */
export function resolveLink({ path }: Document, link: string): { path: string; anchor: string | undefined } {
  const [file = '', anchor] = link.split('#');
  return { path: file ? normalize(join(dirname(path), file)) : path, anchor };
}

/** Returns the anchors that GitHub gives to headings. */
export function anchorsOf({ prose }: Document): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.*)$/gm)) {
    const name = slug(heading);
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function slug(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns the files and folders of this project that the text names, such as `src/app.ts`. */
export function namedPaths({ prose }: Document): string[] {
  return [...prose.matchAll(/`((?:src|web|test|tools|bench|docs)\/[\w./-]*)`/g)].map(([, path = '']) => path);
}
