"""Ordinary sentences of a career guide raise no alarm: a gate that cries wolf is switched off."""

from __future__ import annotations

import pytest
from packcase import codes, findings

from surefoot.verify.checks.entities import EntityCheck
from surefoot.verify.checks.policy import PolicyCheck
from surefoot.verify.checks.structure import StructureCheck
from surefoot.verify.checks.terms import TermCheck
from surefoot.verify.checks.tone import ToneCheck

ADDED = {"warning_missing", "section_missing"}
CHECKS = (PolicyCheck(), EntityCheck(), StructureCheck(), ToneCheck(), TermCheck())
SENTENCES = [
    "The Faculty of Health Sciences at the University of Pretoria offers a Bachelor of Nursing Science.",
    "You can apply to the Western Cape College of Nursing if you live in the province.",
    "Tshwane University of Technology and Durban University of Technology are universities of technology.",
    "Wits Business School is part of the University of the Witwatersrand.",
    "A Bachelor of Arts in Psychology is the first step towards becoming a psychologist.",
    "A Master of Science in Engineering follows the BEng.",
    "You could study a Diploma in Information Technology at Vaal University of Technology.",
    "The Department of Higher Education and Training funds TVET colleges.",
    "South African universities use the Central Applications Office in KwaZulu-Natal.",
    "Nelson Mandela University is in Gqeberha and Walter Sisulu University is in Mthatha.",
    "Unisa is a distance university.",
    "Many learners at Ekurhuleni West TVET College take N4 to N6.",
    "As a Grade 11 learner, you can write the National Benchmark Tests.",
    "A Higher Certificate in Business Management takes one year.",
    "The Postgraduate Certificate in Education takes one year after a Bachelor of Arts.",
    "To become a chartered accountant you need a BCom Accounting and a CTA.",
    "You can work as a data analyst or a software developer.",
    "She became a successful engineer.",
    "Engineers register with the Engineering Council of South Africa.",
    "The South African Institute of Chartered Accountants sets the exams.",
    "The National Institute for Communicable Diseases employs scientists.",
    "Consider the Allan Gray Orbis Foundation Fellowship or the Sasol Bursary.",
    "The Gauteng City Region Academy offers bursaries.",
    "A full scholarship covers fees and books.",
    "University of Cape Town's medical school is old.",
    "Stellenbosch University Business School is in Bellville.",
    "At University level, students need laptops.",
    "Apply for the NSFAS Bursary before the closing date.",
    "English Home Language at level 5 is required.",
    "Your Home Language mark counts.",
    "Computer Literacy helps in every job.",
    "A Bachelor's degree is at NQF level 7.",
    "An honours degree at NQF level 8 takes one year.",
    "The LLB is a four-year degree.",
    "A National Diploma was a three-year qualification.",
    "You need 60% for Mathematics (level 5).",
    "An APS of 32 is needed, and your APS is higher.",
    "Level 4 means 50 to 59 percent.",
    "Doctors earn R60 000 per month.",
    "Electricians can earn up to R25 000 monthly.",
    "Teachers are paid R20 000 a month plus benefits.",
    "The application fee is R100.",
    "Apply before 30 September 2026.",
    "You must pass Mathematics with at least 50%.",
    "You will need certified copies of your ID.",
    "You will have to write an entrance test.",
    "You have to choose seven subjects in Grade 10.",
    "It is guaranteed by law that TVET fees are low.",
    "Please visit the college to ask about apprenticeships.",
    "Damelin and Boston City Campus are private institutions.",
    "You could become a game ranger or a marine biologist.",
    "Working as a physiotherapist is demanding.",
    "A job as an office administrator suits organised people.",
    "Becoming a teacher takes four years.",
    "Girls and boys both do well in engineering.",
    "Women are underrepresented in engineering.",
    "NSFAS does not pay for private colleges.",
    "You don't need a university degree to be an electrician.",
    "Do not forget to apply to NSFAS early.",
    "Instead of a loan, apply to NSFAS first.",
    "The Bachelor of Technology was replaced by the Advanced Diploma at NQF level 7.",
    "The Advanced Diploma follows the Diploma and is at NQF level 7.",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_an_ordinary_sentence_raises_no_alarm(sentence: str) -> None:
    found = [code for check in CHECKS for code in codes(findings(check, sentence, sources=(sentence,)))]
    assert [code for code in found if code not in ADDED] == []
