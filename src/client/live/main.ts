/**
 * The live example: a form whose every change goes to a document in the memory of the page, and what the file looks
 * like after it.
 *
 *  (1) The form shows what the document says, not the other way round: after a crash it is filled from the file.
 *  (2) Typing is announced when it pauses; every other step at once.
 */
import { changedPages, journalHtml, mapHtml, stepHtml, stepText, tagsHtml } from "./render.ts";
import { LiveSession, type NoteDocument, type Step } from "./session.ts";

const pauseMs = 600;

class LiveForm {
  readonly #box: HTMLElement;
  readonly #title: HTMLInputElement;
  readonly #body: HTMLTextAreaElement;
  readonly #tags: HTMLElement;
  readonly #newTag: HTMLInputElement;
  #session = new LiveSession();
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(box: HTMLElement) {
    this.#box = box;
    this.#title = this.#part("title");
    this.#body = this.#part("body");
    this.#tags = this.#part("tags");
    this.#newTag = this.#part("new-tag");
    this.#title.addEventListener("input", () => this.#changeTitle());
    this.#body.addEventListener("input", () => this.#changeBody());
    this.#tags.addEventListener("click", ({ target }) => this.#removeTag(target as Element));
    this.#part("tag-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#addTag();
    });
    this.#press("flush", () => this.#perform("doc.flush()", (note) => note.flush()));
    this.#press("fail", () => this.#perform(failingCode, failingTransaction));
    this.#press("crash", () => this.#show(this.#session.crash()));
    this.#press("anew", () => {
      this.#session = new LiveSession();
      this.#perform('const doc = Kladde.open("note.kladde", Note, { init })', () => {});
    });
    this.#fill();
    box.querySelector("fieldset")!.disabled = false;
  }

  #part<E extends HTMLElement>(name: string): E {
    return this.#box.querySelector<E>(`[data-part="${name}"]`)!;
  }

  /** Whatever the button does, the form shows the document afterwards. */
  #press(name: string, act: () => void): void {
    this.#part(name).addEventListener("click", () => {
      act();
      this.#fill();
    });
  }

  #fill(): void {
    const { document: note } = this.#session;
    this.#title.value = note.title;
    this.#body.value = note.body.toString();
    this.#tags.innerHTML = tagsHtml(note.tags);
  }

  #show(step: Step, announceAfterMs = 0): void {
    this.#part("map").innerHTML = mapHtml(step.view, changedPages(step));
    this.#part("journal").innerHTML = journalHtml(step.view);
    this.#part("step").innerHTML = stepHtml(step);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#part("status").textContent = stepText(step);
    }, announceAfterMs);
  }

  #perform(code: string, change: (note: NoteDocument) => void, announceAfterMs = 0): void {
    this.#show(this.#session.perform(code, change), announceAfterMs);
  }

  #changeTitle(): void {
    const text = this.#title.value.toWellFormed();
    const change = (note: NoteDocument): void => {
      note.title = text;
    };
    this.#perform(`doc.title = ${quoted(text)}`, change, pauseMs);
  }

  #changeBody(): void {
    const text = this.#body.value.toWellFormed();
    this.#perform(`doc.body.assign(${quoted(text)})`, (note) => note.body.assign(text), pauseMs);
  }

  #addTag(): void {
    const tag = this.#newTag.value.trim().toWellFormed();
    this.#newTag.focus();
    if (tag === "") return;
    this.#newTag.value = "";
    this.#perform(`doc.tags.push(${quoted(tag)})`, (note) => note.tags.push(tag));
    this.#fill();
  }

  /** The button goes with its tag; the next one takes the focus, so that the keyboard is not lost. */
  #removeTag(target: Element): void {
    const button = target.closest<HTMLButtonElement>("[data-remove]");
    if (!button) return;
    const at = Number(button.dataset.remove);
    this.#perform(`doc.tags.removeAt(${at})`, (note) => note.tags.removeAt(at));
    this.#fill();
    const buttons = this.#tags.querySelectorAll<HTMLButtonElement>("button");
    (buttons[Math.min(at, buttons.length - 1)] ?? this.#newTag).focus();
  }
}

const failingCode = `doc.transaction(() => {
  doc.title = "Lost";
  doc.tags.clear();
  throw new Error("on second thoughts");
})`;

function failingTransaction(note: NoteDocument): void {
  note.transaction(() => {
    note.title = "Lost";
    note.tags.clear();
    throw new Error("on second thoughts");
  });
}

/** As a literal, cut if it is long. */
const quoted = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);

for (const box of document.querySelectorAll<HTMLElement>("[data-live]")) new LiveForm(box);
