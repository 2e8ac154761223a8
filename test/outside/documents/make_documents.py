"""Makes documents with Python's libraries, and the sources that LibreOffice converts. Prints a JSON list of
{"file", "has"}: each file, and what its text has to contain."""
import json, os, random, struct, sys, zlib
from email.message import EmailMessage

import docx, openpyxl
from PIL import Image, PngImagePlugin
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

out = sys.argv[1]
made = []


def path(name):
    return os.path.join(out, name)


def note(name, *has):
    made.append({"file": name, "has": list(has)})


TEXTS = {
    "english": ("Minutes of the meeting", "The budget of 4,250 euros was approved.", ["Anna brings the keys", "Bob orders paper"]),
    "german": ("Übergabeprotokoll", "Die Schlüssel wurden am 3. März übergeben.", ["Zählerstand 10482", "Straße gefegt"]),
    "french": ("Compte rendu", "L’été dernier, la forêt a brûlé près de Nîmes.", ["Café crème", "Garçon"]),
    "polish": ("Żółta łódź", "Zażółć gęślą jaźń przed świtem.", ["Kość", "Źdźbło"]),
    "greek": ("Πρακτικά", "Η συνεδρίαση άρχισε στις εννέα.", ["Αθήνα", "Θεσσαλονίκη"]),
    "markup": ("Tags & <angles>", "1 < 2 && 3 > 2, said \"nobody\".", ["a|b", "100 % of $5"]),
}
escape = lambda t: t.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
for name, (title, text, items) in TEXTS.items():
    with open(path(f"{name}.html"), "w", encoding="utf-8") as f:
        f.write(
            f'<html><head><meta charset="utf-8"><title>{name}</title></head><body><h1>{escape(title)}</h1><p>{escape(text)}</p><ul>'
            + "".join(f"<li>{escape(i)}</li>" for i in items)
            + "</ul><table border=1><tr><td>Sum</td><td>42</td></tr></table></body></html>"
        )
    note(f"{name}.html", text)
    for kind in ["pdf", "docx", "odt", "epub"]:
        note(f"{name}.{kind}", title, text, *items, "42")

for number in range(4):
    random.seed(number)
    rows = [["Item", "Price", "Day"]] + [
        [f"Thing {number}-{i}, large", str(random.randint(100, 9999) / 100), f"2026-0{number + 1}-{i + 10}"] for i in range(12)
    ]
    with open(path(f"table{number}.csv"), "w", encoding="utf-8") as f:
        f.writelines(",".join(f'"{cell}"' if "," in cell else cell for cell in row) + "\n" for row in rows)
    for kind in ["csv", "xlsx", "ods", "xls"]:
        note(f"table{number}.{kind}", "Item", f"Thing {number}-11, large", f"2026-0{number + 1}-21")

for number, titles in enumerate([["Welcome", "Numbers & <facts>"], ["Größen", "Ende"]]):
    pages = "".join(
        f'<draw:page draw:name="p{i}"><draw:frame svg:x="1cm" svg:y="1cm" svg:width="20cm" svg:height="5cm"><draw:text-box>'
        f"<text:p>{escape(t)}</text:p><text:p>Point {number}{i}</text:p></draw:text-box></draw:frame></draw:page>"
        for i, t in enumerate(titles)
    )
    names = {
        "office": "office", "draw": "drawing", "text": "text", "style": "style",
    }
    space = " ".join(f'xmlns:{k}="urn:oasis:names:tc:opendocument:xmlns:{v}:1.0"' for k, v in names.items())
    with open(path(f"slides{number}.fodp"), "w", encoding="utf-8") as f:
        f.write(
            f'<?xml version="1.0" encoding="UTF-8"?><office:document {space} xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
            'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation">'
            '<office:automatic-styles><style:page-layout style:name="l"/></office:automatic-styles>'
            '<office:master-styles><style:master-page style:name="m" style:page-layout-name="l"/></office:master-styles>'
            f"<office:body><office:presentation>{pages.replace('<draw:page ', '<draw:page draw:master-page-name=%sm%s ' % (chr(34), chr(34)))}</office:presentation></office:body></office:document>"
        )
    for kind in ["pptx", "odp", "pdf"]:
        note(f"slides{number}.{kind}", *titles, f"Point {number}1")

book = openpyxl.Workbook()
book.active.title = "Übersicht"
book.active.append(["Name", "Betrag"])
book.active.append(["Müller", 12.5])
book.create_sheet("Second").append(["last", True, 1e21])
book.save(path("openpyxl.xlsx"))
note("openpyxl.xlsx", "Übersicht", "Müller", "12.5", "Second", "last")
book = openpyxl.Workbook(write_only=True)
sheet = book.create_sheet("Long")
for i in range(20000):
    sheet.append([i, f"row {i}", i * 1.5])
book.save(path("long.xlsx"))
note("long.xlsx", "row 19999")

word = docx.Document()
word.add_heading("Written by Python", 1)
word.add_paragraph("A paragraph with ümlauts.")
table = word.add_table(rows=1, cols=2)
table.rows[0].cells[0].text = "left"
table.rows[0].cells[1].text = "right"
word.save(path("python.docx"))
note("python.docx", "# Written by Python", "ümlauts", "left | right")

pdf = canvas.Canvas(path("reportlab.pdf"), pagesize=A4)
pdf.setTitle("A title")
for i in (1, 2, 3):
    pdf.drawString(72, 700, f"Page number {i} of three")
    pdf.showPage()
pdf.save()
note("reportlab.pdf", "[page 3]", "Page number 3 of three")

info = PngImagePlugin.PngInfo()
info.add_text("Description", "A grey square")
Image.new("L", (31, 17)).save(path("grey.png"), pnginfo=info)
note("grey.png", "31 × 17", "A grey square")
exif = Image.Exif()
exif[0x010E] = "Sunset at the lake"
Image.new("RGB", (64, 48)).save(path("photo.jpg"), exif=exif)
note("photo.jpg", "64 × 48", "Sunset at the lake")
Image.new("P", (5, 6)).save(path("five.gif"))
note("five.gif", "5 × 6")
Image.new("RGB", (10, 20)).save(path("ten.webp"))
note("ten.webp", "10 × 20")
Image.new("RGB", (7, 9)).save(path("seven.tiff"))
note("seven.tiff", "7 × 9")
Image.new("RGB", (12, 13)).save(path("twelve.bmp"))
note("twelve.bmp", "12 × 13")

for number, body in enumerate(["Plain words äöü.", "<p>Only <b>HTML</b></p>"]):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ann Ä <ann@example.org>", "bob@example.org", "Grüße Nr. %d" % number
    mail.set_content(body, subtype="html" if number else "plain")
    mail.add_attachment(b"x" * 1000, maintype="application", subtype="pdf", filename="Rechnung März.pdf")
    with open(path(f"mail{number}.eml"), "wb") as f:
        f.write(bytes(mail))
    note(f"mail{number}.eml", "Subject: Grüße Nr. %d" % number, "Only **HTML**" if number else body, "[attachment: Rechnung März.pdf, application/pdf, 1000 bytes]")

# What is broken, and the large one, are made for the other trials.
pdf = canvas.Canvas(path("secret.pdf"), encrypt="password")
pdf.drawString(72, 700, "hidden")
pdf.save()
pdf = canvas.Canvas(path("pages200.pdf"), pagesize=A4)
for i in range(200):
    for line in range(45):
        pdf.drawString(50, 800 - line * 17, f"Line {line} of page {i + 1}: " + "lorem ipsum dolor sit amet " * 2)
    pdf.showPage()
pdf.save()

json.dump(made, sys.stdout)
